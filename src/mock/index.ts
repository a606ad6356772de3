/** The mock: the Pet Store Service in memory, for tests and front ends. */

export { createMock, type Mock } from './mock.ts'
export { startMock, type RunningMock, type StartOptions } from './start.ts'
export { defaultKey, type MockOptions, type Settings } from './settings.ts'
export { defaultProfile, readProfile, varyProfile } from './profile.ts'
export { type DeviationId, deviations } from './deviations.ts'
export type { Deviation } from './deviations/deviation.ts'
export type { CollectionClass, PetCollection } from './collection.ts'
export type { PetInput } from './pet-schema.ts'
export type { MockReply } from './message.ts'
