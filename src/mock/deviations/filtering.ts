import type { Deviation } from './deviation.ts'
import { onList, onReply, petsOf, refuses } from './replies.ts'
import { onRequest, parameter, sets, withParameter } from './requests.ts'

const statuses = ['available', 'pending', 'sold']
const otherThan = (status: string): string => statuses[(statuses.indexOf(status) + 1) % 3] as string
const isKnown = (status: string | undefined): status is string => status !== undefined && statuses.includes(status)

export const filtering = [
  {
    id: 'filter.ignored',
    clause: 'list.status.filter',
    description: 'The status filter is ignored.',
    apply: sets('status', undefined, (request) => isKnown(parameter(request, 'status'))),
  },
  {
    id: 'filter.inverted',
    clause: 'list.status.filter',
    description: 'The filter shows the pets that do not have the status.',
    apply: onRequest('listPets', (request) => {
      const status = parameter(request, 'status')
      return isKnown(status) ? withParameter(request, 'status', otherThan(status)) : undefined
    }),
  },
  {
    id: 'filter.needs-limit',
    clause: 'list.status.filter',
    description: 'The filter works only beside a limit.',
    apply: sets(
      'status',
      undefined,
      (request) => parameter(request, 'limit') === undefined && isKnown(parameter(request, 'status')),
    ),
  },
  {
    id: 'filter.leaks-last',
    clause: 'list.status.filter',
    description: 'The last pet of a filtered page has another status.',
    apply: onList((pets, request, context) => {
      const status = parameter(request, 'status')
      return isKnown(status) ? [...pets.slice(0, -1), ...petsOf(context, otherThan(status), 1)] : pets
    }),
  },
  {
    id: 'filter.sold-as-pending',
    clause: 'list.status.filter',
    description: 'The filter pending shows sold pets, too.',
    apply: onList((pets, request, context) => {
      if (parameter(request, 'status') !== 'pending') return pets
      const sold = petsOf(context, 'sold', pets.length)
      return pets.map((pet, index) => (index % 2 === 1 ? (sold[index] ?? pet) : pet))
    }),
  },
  {
    id: 'filter.echoes-status',
    clause: 'list.status.filter',
    description: 'The filter is ignored, and each pet is shown with the status that was asked for.',
    apply: onList((pets, request, context) => {
      const status = parameter(request, 'status')
      return isKnown(status) ? petsOf(context, undefined, pets.length).map((pet) => ({ ...pet, status })) : pets
    }),
  },
  {
    id: 'filter.pending-refused',
    clause: 'list.status.filter',
    description: 'The filter pending is refused.',
    apply: refuses('listPets', 400, (request) => parameter(request, 'status') === 'pending'),
  },
  {
    id: 'filter.sold-is-500',
    clause: 'list.status.filter',
    description: 'The filter sold brings the service down: 500.',
    apply: refuses('listPets', 500, (request) => parameter(request, 'status') === 'sold'),
  },
  {
    id: 'filter.pending-empty',
    clause: 'list.status.complete',
    description: 'The filter pending finds nothing.',
    apply: onReply('listPets', 200, (_reply, request, context) =>
      parameter(request, 'status') === 'pending' ? context.replies.json(200, '[]') : undefined,
    ),
  },
  {
    id: 'filter.skips-every-other',
    clause: 'list.status.complete',
    description: 'A filtered list shows every other pet only.',
    apply: onList((pets, request) =>
      isKnown(parameter(request, 'status')) ? pets.filter((_, index) => index % 2 === 0) : pets,
    ),
  },
  {
    id: 'filter.pages-of-10',
    clause: 'list.page-full',
    description: 'A filtered page has ten pets at most.',
    apply: onList((pets, request) => (isKnown(parameter(request, 'status')) ? pets.slice(0, 10) : pets)),
  },
] as const satisfies readonly Deviation[]
