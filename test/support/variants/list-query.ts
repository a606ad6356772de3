import { isPetStatus, type PetStatus } from './new-pet.ts'
import type { Settings } from './settings.ts'

export interface ListQuery {
  limit: number
  statuses?: readonly PetStatus[]
}

export type Rejection = { rejection: 400 | 404 | 422 }

/** Parses `limit` and `status`; the settings decide where the specification is silent. */
export function readListQuery(query: string, settings: Settings): ListQuery | Rejection {
  const parameters = new URLSearchParams(query)
  if (settings.unknownParameters !== 'ignored') {
    const unknown = [...parameters.keys()].some((key) => key !== 'limit' && key !== 'status')
    if (unknown) return { rejection: settings.unknownParameters }
  }
  const limit = readLimit(parameters.getAll('limit'), settings)
  if (typeof limit === 'object') return limit
  const statuses = readStatuses(parameters.getAll('status'), settings)
  if (statuses === undefined) return { limit }
  return 'rejection' in statuses ? statuses : { limit, statuses }
}

const defaultLimit = 20

function readLimit(values: string[], settings: Settings): number | Rejection {
  if (values.length > 1) {
    const { limitRepeated } = settings
    if (typeof limitRepeated === 'number') return { rejection: limitRepeated }
    if (limitRepeated === 'default') return defaultLimit
    return readLimit(limitRepeated === 'first' ? values.slice(0, 1) : values.slice(-1), settings)
  }
  const [text] = values
  if (text === undefined) return defaultLimit
  if (/^-?\d+$/.test(text)) return toRange(Number(text), settings.limitOutside)
  if (typeof settings.limitNotInteger === 'number') return { rejection: settings.limitNotInteger }
  const leading = Number.parseInt(text, 10)
  if (settings.limitNotInteger === 'default' || Number.isNaN(leading)) return defaultLimit
  return toRange(leading, settings.limitOutside)
}

function toRange(limit: number, outside: Settings['limitOutside']): number | Rejection {
  if (limit >= 1 && limit <= 100) return limit
  if (typeof outside === 'number') return { rejection: outside }
  if (outside === 'default') return defaultLimit
  if (outside === 'empty-or-clamp' && limit < 1) return 0
  return Math.min(Math.max(limit, 1), 100)
}

function readStatuses(
  values: string[],
  settings: Settings,
): readonly PetStatus[] | Rejection | undefined {
  if (values.length === 0) return undefined
  if (values.length > 1) {
    const { statusRepeated } = settings
    if (typeof statusRepeated === 'number') return { rejection: statusRepeated }
    if (statusRepeated === 'first') return readStatuses(values.slice(0, 1), settings)
    if (statusRepeated === 'last') return readStatuses(values.slice(-1), settings)
  }
  if (values.every(isPetStatus)) return values
  if (typeof settings.unknownStatus === 'number') return { rejection: settings.unknownStatus }
  return settings.unknownStatus === 'ignored' ? undefined : values.filter(isPetStatus)
}
