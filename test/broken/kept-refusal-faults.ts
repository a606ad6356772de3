import { writeJson } from '../twins/exact-json.ts'
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
    'refused-array-kept',
    leavesNothing,
    'An array is answered 400 and its pet stored',
    () => keeping(small, (_, text) => /^\[(\{.*\})\]$/.exec(text)?.[1]),
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
