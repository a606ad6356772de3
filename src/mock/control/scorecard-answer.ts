import type { IssueId } from '../scorecard/rules.ts'
import type { Scorecard, ScorecardIssue } from './scorecard.ts'

type Members = Record<string, unknown>

/**
 * The scorecards that a mock answered: `{ "scorecards": [...] }`. Undefined when the value is none of the kind.
 *
 * A newer mock may know kinds of mistakes that this kit does not: any id is taken.
 */
export function readScorecards(value: unknown): Scorecard[] | undefined {
  if (!isObject(value) || !Array.isArray(value['scorecards'])) return undefined
  const cards = value['scorecards'] as unknown[]
  return cards.every(isScorecard) ? cards : undefined
}

function isScorecard(value: unknown): value is Scorecard {
  if (!isObject(value)) return false
  const { subject, sandbox, requests, score, coverage, issues, unscored = 0, firstAt, lastAt } = value
  return (
    isText(subject) &&
    isCount(requests) &&
    isCount(unscored) &&
    (score === null || (isCount(score) && score <= 100)) &&
    [sandbox, firstAt, lastAt].every((text) => text === undefined || isText(text)) &&
    isCoverage(coverage) &&
    isListOf(issues, isFinding)
  )
}

function isCoverage(value: unknown): boolean {
  if (!isObject(value)) return false
  const { operations, other, neverTried } = value
  return (
    isListOf(operations, (item) => isOperation(item) && isCounts(item['parameters'])) &&
    isObject(other) &&
    isCount(other['requests']) &&
    isCounts(other['responses']) &&
    isListOf(neverTried, (item) => isObject(item) && isText(item['operation']) && isText(item['what']))
  )
}

function isOperation(value: unknown): value is Members {
  return isObject(value) && isText(value['operation']) && isCount(value['requests']) && isCounts(value['responses'])
}

function isFinding(value: unknown): value is ScorecardIssue & { id: IssueId } {
  if (!isObject(value)) return false
  const { id, severity, title, reference, count, message, example, fix } = value
  return (
    [id, title, message, fix].every(isText) &&
    (severity === 'violation' || severity === 'warning' || severity === 'notice') &&
    isCount(count) &&
    isObject(reference) &&
    [reference['table'], reference['id'], reference['quote']].every(isText) &&
    isObject(example) &&
    [example['method'], example['target'], example['body'] ?? ''].every(isText)
  )
}

function isCounts(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isCount)
}

function isListOf(value: unknown, holds: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(holds)
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
