import { operations } from '../spec/operations.ts'
import type { Context } from './context.ts'

const removal = Date.parse(operations.getPet.removalDate)

/** "The operation is marked deprecated and is to be removed on 5 December 2030", if this deployment does so. */
export function isGetPetRemoved({ profile, clock }: Pick<Context, 'profile' | 'clock'>): boolean {
  return profile['get.after-removal'] !== 'works' && clock.millis() >= removal
}
