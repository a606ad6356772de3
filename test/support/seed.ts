import fc from 'fast-check'

import { seed } from './level.ts'

fc.configureGlobal({ seed })
