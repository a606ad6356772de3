import { bootstrapApplication } from '@angular/platform-browser'
import { provideHttpClient, withFetch } from '@angular/common/http'
import { PetList } from './pet-list'

void bootstrapApplication(PetList, { providers: [provideHttpClient(withFetch())] })
