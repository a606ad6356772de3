import type { Defects } from './defect.ts'
import { drop, each, onList, onPet, onReply, set, textOf } from './replies.ts'
import { type Fields, limitOf } from './requests.ts'

const renamed =
  (rename: (name: string) => string) =>
  (pet: Fields): Fields =>
    Object.fromEntries(Object.entries(pet).map(([name, value]) => [rename(name), value]))

const inUpperCase = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

export const pets = {
  'pet.fields': {
    'pet.id-missing-in-list': ['The pets of a list have no id.', onList(each(drop('id')))],
    'pet.name-missing': ['Pets have no name.', onPet(drop('name'))],
    'pet.category-missing': ['Pets have no categoryId.', onPet(drop('categoryId'))],
    'pet.snake-case': [
      'The field is called category_id.',
      onPet(renamed((name) => (name === 'categoryId' ? 'category_id' : name))),
    ],
    'pet.capitals': ['Fields begin with a capital: Id, Name.', onPet(renamed(inUpperCase))],
    'pet.nested-in-list': [
      'Each element of a list wraps its pet: { pet: {...} }.',
      onList(each((pet) => ({ pet }))),
    ],
    'pet.ids-alone-in-list': ['The list has only ids.', onList(each(({ id = null }) => id))],
    'pet.second-lacks-category': [
      'The second and later pets of a list have no categoryId.',
      onList((pets) => pets.map((pet, index) => (index === 0 ? pet : drop('categoryId')(pet)))),
    ],
    'list.null-at-end': ['The last element of a list is null.', onList((pets) => [...pets, null])],
  },
  'pet.id': {
    'pet.id-text': ['id is a string.', onPet(set('id', textOf))],
    'pet.id-fraction': ['id is not an integer.', onPet(set('id', (id) => Number(id) + 0.5))],
    'pet.id-beyond-int64': [
      'The last pet of a list has an id beyond int64.',
      onList(each(set('id', 2n ** 63n), -1)),
    ],
    'pet.id-null-in-list': [
      'The id of the third pet of a list is null.',
      onList(each(set('id', null), 2)),
    ],
  },
  'pet.id.unique': {
    'list.padded': [
      'A page that is not full is padded with its first pet.',
      onList((pets, request) => {
        const missing = Math.min(100, limitOf(request)) - pets.length
        const [first] = pets
        return first === undefined || !(missing > 0)
          ? pets
          : [...pets, ...Array<Fields>(missing).fill(first)]
      }),
    ],
    'list.twin': [
      'The second pet of a page has the id of the first.',
      onList((pets) => each(set('id', pets[0]?.['id'] ?? null), 1)(pets)),
    ],
  },
  'pet.name': {
    'pet.name-null': ['name is null.', onPet(set('name', null))],
    'pet.name-object': [
      'name is an object with one entry per language.',
      onPet(set('name', (name) => ({ en: name }))),
    ],
    'pet.last-name-number': [
      'The name of the last pet of a list is a number.',
      onList(each(set('name', 7), -1)),
    ],
  },
  'pet.category-id': {
    'pet.category-text': ['categoryId is a string.', onPet(set('categoryId', textOf))],
    'pet.category-null-when-created': [
      'The categoryId of the 201 is null.',
      onReply('createPet', 201, (reply) => ({
        ...reply,
        body: reply.body.replace(/"categoryId":-?\d+/, '"categoryId":null'),
      })),
    ],
    'pet.category-fraction': [
      'categoryId is not an integer.',
      onPet(set('categoryId', (id) => Number(id) + 0.5)),
    ],
    'pet.category-object': [
      'categoryId is the category itself: { id, name }.',
      onPet(set('categoryId', (id) => ({ id, name: 'Dogs' }))),
    ],
    'pet.category-beyond-int64': [
      'The second pet of a list has a categoryId beyond int64.',
      onList(each(set('categoryId', -(2n ** 63n) - 1n), 1)),
    ],
    'pet.hundredth-category-text': [
      'The hundredth pet of a page has a string as its categoryId: it shows with limit=100 only.',
      onList(each(set('categoryId', textOf), 99)),
    ],
  },
  'pet.status': {
    'pet.status-upper-case': [
      'status is in upper case.',
      onPet(set('status', (status) => textOf(status).toUpperCase())),
    ],
    'pet.status-padded': [
      'status has a space at its end, as from a column of fixed width.',
      onPet(set('status', (status) => `${textOf(status)} `)),
    ],
    'pet.status-null': [
      'The status of the fourth pet of a list is null.',
      onList(each(set('status', null), 3)),
    ],
    'pet.status-reserved': [
      'The fifth pet of a list has the unknown status reserved.',
      onList(each(set('status', 'reserved'), 4)),
    ],
    'pet.status-number': ['status is a number.', onPet(set('status', 1))],
  },
} as const satisfies Defects
