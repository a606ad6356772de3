import type { Report } from '../../src/contract/index.ts'

type RequirementResult = Report['requirements'][number]

export const verdictOf = (
  { requirements }: Report,
  id: string,
): RequirementResult['verdict'] | undefined =>
  requirements.find((result) => result.id === id)?.verdict

export const idsOf = (
  { requirements }: Report,
  verdict: RequirementResult['verdict'],
): RequirementResult['id'][] =>
  requirements.filter((result) => result.verdict === verdict).map(({ id }) => id)
