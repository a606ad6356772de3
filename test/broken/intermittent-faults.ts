import type { TwinAnswer } from '../twins/answers.ts'
import type { TwinOptions } from '../twins/settings.ts'
import {
  editInteger,
  editList,
  editListed,
  editMember,
  editSingle,
  editText,
  htmlPage,
  problem,
} from './answer-edits.ts'
import type { Call } from './call.ts'
import { ordinal, type Row, type Seams } from './fault.ts'
import { success, lists, same, stored } from './clause-groups.ts'

/** Changes each n-th answer to those who are let in. */
function eachNth(
  n: number,
  edit: (answer: TwinAnswer, call: Call) => TwinAnswer,
  shop?: TwinOptions,
  when: (call: Call) => boolean = () => true,
): Seams {
  let count = 0
  return {
    ...(shop && { shop }),
    say: (answer, call) =>
      call.isAuthorized && call.operation !== undefined && when(call) && ++count % n === 0
        ? edit(answer, call)
        : answer,
  }
}

/** Faults that come and go. */
export const intermittentFaults: Row[] = [
  ...[3, 7, 20].map((n): Row => [
    `m116-each-${ordinal(n)}-500`,
    [...success, 'get.not-found', 'create.invalid-values', 'create.body-required', 'create.required-fields'],
    `Each ${ordinal(n)} answer is a 500`,
    () => eachNth(n, () => problem(500)),
  ]),
  [
    'each-20th-html',
    [...success, 'error.body', 'http.media-type', 'http.json-body'],
    'Each 20th answer is a page of HTML with 500',
    () => eachNth(20, () => htmlPage(500)),
  ],
  [
    'each-10th-list-has-null',
    ['pet.fields', 'list.success'],
    'Each 10th list has null in place of its second pet',
    () =>
      eachNth(
        10,
        (answer) => editList(answer, (pets) => pets.map((pet, index) => (index === 1 ? null : pet))),
        { pets: 40, ids: 'gaps' },
        ({ operation }) => operation === 'listPets',
      ),
  ],
  ...[3, 7].map((n): Row => [
    `each-${ordinal(n)}-list-lacks-last`,
    lists,
    `Each ${ordinal(n)} list lacks its last pet`,
    () =>
      eachNth(
        n,
        (answer) => editList(answer, (pets) => pets.slice(0, -1)),
        { pets: 60, ids: 'random' },
        ({ operation }) => operation === 'listPets',
      ),
  ]),
  [
    'each-7th-list-empty',
    lists,
    'Each 7th list is empty',
    () =>
      eachNth(
        7,
        (answer) => editList(answer, () => []),
        { pets: 75, ids: 'gaps', order: 'newest' },
        ({ operation }) => operation === 'listPets',
      ),
  ],
  [
    'each-5th-list-one-more',
    ['list.limit.honoured', 'list.limit.default'],
    'Each 5th list has a pet too many',
    () =>
      eachNth(
        5,
        (answer, { limit }) =>
          editList(answer, (pets) =>
            pets.length === (limit ?? 20) && pets[0]
              ? [
                  ...pets,
                  editMember(
                    pets[0],
                    'id',
                    editInteger((id) => id - 1n),
                  ),
                ]
              : pets,
          ),
        { pets: 64, ids: 'gaps' },
        ({ operation }) => operation === 'listPets',
      ),
  ],
  ...[3, 7].map((n): Row => [
    `each-${ordinal(n)}-get-404`,
    stored,
    `Each ${ordinal(n)} pet that is fetched is not found`,
    () =>
      eachNth(
        n,
        (answer) => (answer.status === 200 ? problem(404) : answer),
        { pets: 45, ids: 'random' },
        ({ operation }) => operation === 'getPet',
      ),
  ]),
  ...[3, 7].map((n): Row => [
    `each-${ordinal(n)}-list-other-names`,
    same,
    `Each ${ordinal(n)} list shows names in upper case`,
    () =>
      eachNth(
        n,
        (answer) =>
          editListed(answer, (pet) =>
            editMember(
              pet,
              'name',
              editText((name) => name.toUpperCase()),
            ),
          ),
        { pets: 50, ids: 'extremes' },
        ({ operation }) => operation === 'listPets',
      ),
  ]),
  [
    'each-7th-get-other-category',
    same,
    'Each 7th pet that is fetched has the category of another',
    () =>
      eachNth(
        7,
        (answer) =>
          editSingle(answer, (pet) =>
            editMember(
              pet,
              'categoryId',
              editInteger((id) => id ^ 1n),
            ),
          ),
        { pets: 56, ids: 'gaps' },
        ({ operation }) => operation === 'getPet',
      ),
  ],
  [
    'each-5th-creation-forgotten',
    stored,
    'Each 5th created pet cannot be fetched',
    () => {
      let made = 0
      const lost = new Set<bigint>()
      return {
        shop: { pets: 40, ids: 'random' },
        store: (table) => ({
          ...table,
          add(pet) {
            const added = table.add(pet)
            if (++made % 5 === 0) lost.add(added.id)
            return added
          },
          find: (id) => (lost.has(id) ? undefined : table.find(id)),
        }),
      }
    },
  ],
]
