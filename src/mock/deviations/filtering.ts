import type { Deviation } from './deviation.ts'
import { errorOf, onList, onReply, petsOf } from './replies.ts'
import { inPlaceOf, onRequest, parameter, withParameter } from './requests.ts'

const statuses = ['available', 'pending', 'sold']
const otherThan = (status: string): string => statuses[(statuses.indexOf(status) + 1) % 3] as string
const isKnown = (status: string | undefined): status is string => status !== undefined && statuses.includes(status)

export const filtering = [
  {
    id: 'filter.ignored',
    clause: 'list.status.filter',
    description: 'The status filter is ignored.',
    bend: onRequest('listPets', (request) =>
      isKnown(parameter(request, 'status')) ? withParameter(request, 'status', undefined) : undefined,
    ),
  },
  {
    id: 'filter.inverted',
    clause: 'list.status.filter',
    description: 'The filter shows the pets that do not have the status.',
    bend: onRequest('listPets', (request) => {
      const status = parameter(request, 'status')
      return isKnown(status) ? withParameter(request, 'status', otherThan(status)) : undefined
    }),
  },
  {
    id: 'filter.needs-limit',
    clause: 'list.status.filter',
    description: 'The filter works only beside a limit.',
    bend: onRequest('listPets', (request) =>
      parameter(request, 'limit') === undefined && isKnown(parameter(request, 'status'))
        ? withParameter(request, 'status', undefined)
        : undefined,
    ),
  },
  {
    id: 'filter.leaks-last',
    clause: 'list.status.filter',
    description: 'The last pet of a filtered page has another status.',
    bend: onList((pets, request, world) => {
      const status = parameter(request, 'status')
      return isKnown(status) ? [...pets.slice(0, -1), ...petsOf(world, otherThan(status), 1)] : pets
    }),
  },
  {
    id: 'filter.sold-as-pending',
    clause: 'list.status.filter',
    description: 'The filter pending shows sold pets, too.',
    bend: onList((pets, request, world) => {
      if (parameter(request, 'status') !== 'pending') return pets
      const sold = petsOf(world, 'sold', pets.length)
      return pets.map((pet, index) => (index % 2 === 1 ? (sold[index] ?? pet) : pet))
    }),
  },
  {
    id: 'filter.echoes-status',
    clause: 'list.status.filter',
    description: 'The filter is ignored, and each pet is shown with the status that was asked for.',
    bend: onList((pets, request, world) => {
      const status = parameter(request, 'status')
      return isKnown(status) ? petsOf(world, undefined, pets.length).map((pet) => ({ ...pet, status })) : pets
    }),
  },
  {
    id: 'filter.pending-refused',
    clause: 'list.status.filter',
    description: 'The filter pending is refused.',
    bend: inPlaceOf('listPets', (request, world) =>
      parameter(request, 'status') === 'pending' ? errorOf(world, 400) : undefined,
    ),
  },
  {
    id: 'filter.sold-is-500',
    clause: 'list.status.filter',
    description: 'The filter sold brings the service down: 500.',
    bend: inPlaceOf('listPets', (request, world) =>
      parameter(request, 'status') === 'sold' ? errorOf(world, 500) : undefined,
    ),
  },
  {
    id: 'filter.pending-empty',
    clause: 'list.status.complete',
    description: 'The filter pending finds nothing.',
    bend: onReply('listPets', 200, (_reply, request, world) =>
      parameter(request, 'status') === 'pending' ? world.replies.json(200, '[]') : undefined,
    ),
  },
  {
    id: 'filter.skips-every-other',
    clause: 'list.status.complete',
    description: 'A filtered list shows every other pet only.',
    bend: onList((pets, request) =>
      isKnown(parameter(request, 'status')) ? pets.filter((_, index) => index % 2 === 0) : pets,
    ),
  },
  {
    id: 'filter.pages-of-10',
    clause: 'list.page-full',
    description: 'A filtered page has ten pets at most.',
    bend: onList((pets, request) => (isKnown(parameter(request, 'status')) ? pets.slice(0, 10) : pets)),
  },
] as const satisfies readonly Deviation[]
