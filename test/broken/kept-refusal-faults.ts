import { JsonNumber, writeJson } from '../twins/exact-json.ts'
import type { TwinOptions } from '../twins/settings.ts'
import { editListed, withMember } from './answer-edits.ts'
import { bodyObject, bodyText, withBody } from './call.ts'
import type { Row, Seams } from './fault.ts'
import { leavesNothing } from './clause-groups.ts'

/** Answers 400 and creates a pet from what is valid in the body. */
const keeping = (
  shop: TwinOptions,
  mend: (body: ReturnType<typeof bodyObject>, text: string) => string | undefined,
): Seams => ({
  shop,
  answer(call, serve) {
    const answer = serve(call)
    const mended =
      call.operation === 'createPet' && answer.status === 400 ? mend(bodyObject(call), bodyText(call)) : undefined
    if (mended !== undefined) serve(withBody(call, mended))
    return answer
  },
})

/** The name under which a pet without one is stored. */
const nameless = 'no name'
const small: TwinOptions = { pets: 40, ids: 'random', order: 'newest' }

/** A creation that is refused leaves a pet behind. */
export const keptRefusalFaults: Row[] = [
  [
    'm90-refused-status-kept',
    leavesNothing,
    'A creation with an unknown status is answered 400 and stored',
    () =>
      keeping(small, (body) =>
        typeof body?.get('status') === 'string' && typeof body.get('name') === 'string'
          ? writeJson(new Map(body).set('status', 'sold'))
          : undefined,
      ),
  ],
  [
    'refused-category-kept',
    leavesNothing,
    'A creation with a string as categoryId is answered 400 and stored',
    () =>
      keeping({ pets: 64, ids: 'gaps' }, (body) =>
        typeof body?.get('categoryId') === 'string'
          ? writeJson(new Map(body).set('categoryId', new JsonNumber('1')))
          : undefined,
      ),
  ],
  [
    'refused-beyond-int64-kept',
    leavesNothing,
    'A creation with a categoryId beyond int64 is answered 400 and stored',
    () =>
      keeping({ pets: 30, ids: 'extremes' }, (_, text) =>
        /\d{19}/.test(text) ? text.replace(/-?\d{19}/, '1') : undefined,
      ),
  ],
  [
    'refused-without-category-kept',
    leavesNothing,
    'A creation without categoryId is answered 400 and stored',
    () =>
      keeping(small, (body) =>
        body?.has('name') === true && !body.has('categoryId')
          ? writeJson(new Map(body).set('categoryId', new JsonNumber('1')))
          : undefined,
      ),
  ],
  [
    'refused-array-kept',
    leavesNothing,
    'An array is answered 400 and its pet stored',
    () => keeping(small, (_, text) => /^\[(\{.*\})\]$/.exec(text)?.[1]),
  ],
  [
    'refused-trailing-text-kept',
    leavesNothing,
    'Text behind the JSON is answered 400 and the pet stored',
    () => keeping({ pets: 150, ids: 'sequential', order: 'newest' }, (_, text) => /^(\{[^{}]*\})\s*\w/.exec(text)?.[1]),
  ],
  [
    'refused-status-null-kept',
    leavesNothing,
    'A creation with status null is answered 400 and stored without a status',
    () =>
      keeping({ pets: 35, ids: 'random', defaultStatus: 'absent' }, (body) => {
        if (body?.get('status') !== null) return undefined
        const rest = new Map(body)
        rest.delete('status')
        return writeJson(rest)
      }),
  ],
  [
    'refused-status-null-kept-as-default',
    leavesNothing,
    'A creation with status null is answered 400 and stored as available, in a store of 150',
    () =>
      keeping({ pets: 150, ids: 'sequential', order: 'oldest' }, (body) =>
        body?.get('status') === null ? writeJson(new Map(body).set('status', 'available')) : undefined,
      ),
  ],
  [
    'refused-name-number-kept',
    leavesNothing,
    'A creation with a number as name is answered 400 and stored with its digits as name',
    () =>
      keeping({ pets: 30, ids: 'gaps', order: 'newest' }, (body) => {
        const name = body?.get('name')
        return name instanceof JsonNumber ? writeJson(new Map(body).set('name', name.text)) : undefined
      }),
  ],
  [
    'refused-without-name-kept',
    [...leavesNothing, 'pet.name', 'pet.fields'],
    'A creation without name is answered 400 and stored without one',
    () => ({
      ...keeping({ pets: 40, ids: 'negative', order: 'newest' }, (body) =>
        body?.has('name') === false && body.has('categoryId')
          ? writeJson(new Map(body).set('name', nameless))
          : undefined,
      ),
      say: (answer) =>
        editListed(answer, (pet) => (pet.get('name') === nameless ? withMember(pet, 'name', null) : pet)),
    }),
  ],
]
