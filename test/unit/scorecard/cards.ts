/** Sample scorecards for the tests of reporters. */
import type { Scorecard, ScorecardIssue } from '../../../src/mock/scorecard/scorecard.gen.ts'

const issue: ScorecardIssue = {
  id: 'limit.out-of-range',
  severity: 'violation',
  title: 'with a limit outside 1 to 100',
  reference: {
    table: 'requirements',
    id: 'list.limit.respected',
    quote:
      '| limit | integer | minimum 1, maximum 100 | 20 | Maximum number of animals to return. |',
    sentence:
      'limit: integer, minimum 1, maximum 100, default 20. Maximum number of animals to return.',
  },
  count: 3,
  entries: [4, 5, 9],
  message: 'limit was 500.',
  example: { method: 'GET', target: '/v1/pets?limit=500' },
  fix: 'Request 1 to 100 pets, and send `Authorization: Bearer <API_KEY>` with it.',
}

/** A client without issues. */
export function clean(): Scorecard {
  return {
    subject: 'key 1',
    requests: 214,
    journal: { kept: 214, received: 214, counted: 214 },
    score: 100,
    coverage: {
      percent: 80,
      operations: [
        {
          operation: 'listPets',
          requests: 200,
          responses: { 200: 198, 401: 2 },
          parameters: { limit: 40, status: 5 },
        },
        {
          operation: 'createPet',
          requests: 14,
          responses: { 201: 14 },
          parameters: { name: 14, categoryId: 14 },
        },
        { operation: 'getPet', requests: 0, responses: {}, parameters: {} },
      ],
      other: { requests: 0, responses: {} },
      neverTried: [
        { operation: 'listPets', what: 'status=sold' },
        { operation: 'createPet', what: 'a 400 response' },
        { operation: 'createPet', what: 'a 401 response' },
      ],
    },
    issues: [],
    firstAt: '2026-11-20T12:00:00.000Z',
    lastAt: '2026-11-20T12:04:10.000Z',
  }
}

/** A client with an issue of each severity. */
export function faulty(): Scorecard {
  return {
    ...clean(),
    subject: 'key 2',
    score: 97,
    issues: [
      issue,
      {
        ...issue,
        id: 'fields.extra',
        severity: 'warning',
        title: 'of createPet with fields that NewPet does not have',
        count: 1,
        reference: {
          table: 'behaviors',
          id: 'create.extra-fields',
          quote: '### NewPet (request body for creation)',
        },
        example: {
          method: 'POST',
          target: '/v1/pets',
          body: '{"name":"Rex","categoryId":1,"color":"red"}',
        },
      },
      {
        ...issue,
        id: 'deprecated.used',
        severity: 'notice',
        title: 'of getPet, which is deprecated',
        count: 1,
      },
    ],
    coverage: { ...clean().coverage, other: { requests: 2, responses: { 404: 1, reset: 1 } } },
  }
}

/** A client without requests. */
export function silent(): Scorecard {
  const { firstAt: _, lastAt: __, ...card } = clean()
  const operations = card.coverage.operations.map(({ operation }) => ({
    operation,
    requests: 0,
    responses: {},
    parameters: {},
  }))
  return {
    ...card,
    subject: 'key 3',
    requests: 0,
    journal: { kept: 0, received: 0, counted: 0 },
    score: null,
    coverage: { ...card.coverage, operations },
  }
}

/** A scorecard with `text` in every field that a client or a fake mock controls. */
export function echoing(text: string): Scorecard {
  const echo: ScorecardIssue = {
    ...issue,
    id: text as ScorecardIssue['id'],
    title: text,
    reference: { table: 'requirements', id: text, quote: text },
    message: text,
    example: { method: text, target: text, body: text },
    fix: text,
  }
  const card = faulty()
  return {
    ...card,
    subject: text,
    sandbox: text,
    issues: [
      echo,
      { ...echo, id: 'fields.extra', severity: 'warning' },
      { ...echo, id: 'deprecated.used', severity: 'notice' },
    ],
    coverage: {
      ...card.coverage,
      operations: card.coverage.operations.map((entry) => ({
        ...entry,
        responses: { [text]: 1 },
        parameters: { [text]: 1 },
      })),
      neverTried: [{ operation: 'listPets', what: text }],
    },
    firstAt: text,
    lastAt: text,
  }
}
