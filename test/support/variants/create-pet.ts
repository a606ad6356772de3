import type { Json } from './exact-json.ts'
import {
  showPet,
  toVariantResponse,
  toProblem,
  type VariantResponse,
  type VariantRequest,
} from './responses.ts'
import { petStatuses, readNewPet, type NewPet, type PetStatus } from './new-pet.ts'
import type { PetTable } from './pet-table.ts'
import type { Settings } from './settings.ts'

/**
 * createPet, after authentication. Rejections with 400 that the specification requires come first, so that no
 * unspecified rule of this variant can replace them.
 */
export function createPet(
  request: VariantRequest,
  table: PetTable,
  settings: Settings,
): VariantResponse {
  if (!settings.mayWrite) return toProblem(403, 'This key may only read.', settings)
  if (settings.pausesRequests && table.isBusy())
    return toProblem(409, 'Another creation is under way.', settings)
  const body = readNewPet(request.body, settings.isLenient)
  if ('rejected' in body) {
    const status = request.body.length === 0 ? 400 : (checkMediaType(request, settings) ?? 400)
    return toProblem(status, body.rejected, settings)
  }
  const name = nameRules[settings.names](body.name)
  const rejection = checkMediaType(request, settings) ?? checkBody(body, name, table, settings)
  if (rejection !== undefined)
    return toProblem(rejection, 'A rule of this house rejects the pet.', settings)

  const status = body.status ?? chooseStatus(settings.defaultStatus, name)
  const extras = settings.extraFields === 'stored' ? body.extras : new Map<string, Json>()
  const pet = table.add({
    name,
    categoryId: body.categoryId,
    extras,
    ...(status !== 'absent' && { status }),
  })
  const path = `${settings.prefix}/v1/pets/${pet.id}`
  const locations = {
    absent: undefined,
    relative: path,
    absolute: `http://${String(request.headers['host'])}${path}`,
  }
  const location = locations[settings.location]
  return toVariantResponse(201, showPet(pet, settings), location === undefined ? {} : { location })
}

function chooseStatus(rule: Settings['defaultStatus'], name: string): PetStatus | 'absent' {
  return rule === 'varies' ? (petStatuses[name.length % 4] ?? 'absent') : rule
}

function checkMediaType(request: VariantRequest, settings: Settings): number | undefined {
  const sent = request.headers['content-type']
  const rule = sent === undefined ? settings.noMediaType : settings.otherMediaType
  if (rule === 'accepted') return undefined
  return /^application\/json *(;|$)/i.test(String(sent)) ? undefined : rule
}

const nameRules: Readonly<Record<Settings['names'], (name: string) => string>> = {
  kept: (name) => name,
  trimmed: (name) => name.trim(),
  'end-trimmed': (name) => name.trimEnd(),
  nfc: (name) => name.normalize('NFC'),
  nfd: (name) => name.normalize('NFD'),
  'nfd-no-controls': (name) => name.normalize('NFD').replaceAll(/\p{Cc}/gu, ''),
  spaces: (name) => name.replaceAll(/\p{Cc}/gu, ' '),
}

const nameForms = { any: /^/, cyrillic: /^\p{Script=Cyrillic}+$/u, numbered: /^PET-\d{4}$/ }

/** The unspecified rules of this variant in their order, each with whether the body breaks it and its status. */
function checkBody(
  body: NewPet,
  name: string,
  table: PetTable,
  settings: Settings,
): number | undefined {
  const { longNames, closedCategories: closed } = settings
  const rules: [broken: boolean, rule: number | string][] = [
    [body.sentId, settings.sentId],
    [body.extras.size > 0, settings.extraFields],
    [name === '', settings.emptyNames],
    [
      longNames !== 'accepted' && [...name].length > longNames.longest,
      longNames === 'accepted' ? longNames : longNames.status,
    ],
    [/[^A-Za-z0-9 -]/.test(name), settings.unusualNames],
    [!nameForms[settings.script].test(name), 400],
    [!settings.pausesRequests && table.isBusy(), 409],
    [body.categoryId > 0n && body.categoryId <= (closed?.upTo ?? 0n), closed?.status ?? 422],
    [!table.hasCategory(body.categoryId), settings.unknownCategories],
    [table.hasName(name), settings.duplicateNames],
  ]
  for (const [broken, rule] of rules) if (broken && typeof rule === 'number') return rule
  return undefined
}
