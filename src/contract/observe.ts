import type { ChoiceId } from '../spec/choices.ts'
import type { Exchange } from './exchange.ts'
import { extraMembers } from './shapes.ts'

/** A member that the suite itself sends, to see whether it is stored. */
export const ownMember = 'petkitExtra'
const petMembers = ['id', 'name', 'categoryId', 'status', ownMember]
const errorMembers = ['code', 'message', 'status']

/** What any one answer shows of the points that the specification leaves open. */
export function observeAnswer({ operation, status, headers, content }: Exchange): [ChoiceId, string][] {
  if (operation === undefined) return []
  const seen: [ChoiceId, string][] = [['rate-limit.headers', presence(Object.keys(headers).some(isRateLimit))]]
  const value = content.kind === 'json' ? content.value : undefined
  if (status === 401) seen.push(['auth.www-authenticate', presence(headers['www-authenticate'] !== undefined)])
  if (status === 201) {
    seen.push(['create.location', locationForm(headers['location'])], ['auth.write-permission', 'granted'])
  }
  if (status === 403 && operation === 'createPet') seen.push(['auth.write-permission', '403'])
  if (operation === 'getPet' && status === 200) {
    seen.push(['get.deprecation-header', presence(headers['deprecation'] !== undefined)])
    seen.push(['get.sunset-header', presence(headers['sunset'] !== undefined)])
  }
  if (value === undefined) return seen
  if (status >= 400) {
    const { code } = (value ?? {}) as { code?: unknown }
    const choice = errorCode(operation, status)
    if (choice && typeof code === 'string') seen.push([choice, code])
    seen.push(['error.extra-members', presence(extraMembers(value, errorMembers).length > 0)])
  } else if (status === 200 || status === 201) {
    const pets = Array.isArray(value) ? value.slice(0, 100) : [value]
    if (pets.length > 0) {
      seen.push(['pet.extra-members', presence(pets.some((pet) => extraMembers(pet, petMembers).length > 0))])
    }
  }
  return seen
}

const presence = (there: boolean): string => (there ? 'present' : 'absent')

const isRateLimit = (name: string): boolean => /^(x-)?rate-?limit/.test(name)

const locationForm = (location: string | undefined): string =>
  location === undefined ? 'absent' : /^[a-z]+:\/\//i.test(location) ? 'absolute' : 'relative'

function errorCode(operation: string, status: number): ChoiceId | undefined {
  if (status === 400 && operation === 'createPet') return 'error.code.400'
  if (status === 401) return 'error.code.401'
  return status === 404 && operation === 'getPet' ? 'error.code.404' : undefined
}
