import { existsSync, readFileSync } from 'node:fs'

/** The number of runs that found a fault. The thorough depth includes the standard one. */
export interface Often {
  id: string
  standard: number
  thorough: number
}

/** Written by `npm run prove -- --often`. */
export interface OftenFigures {
  runs: number
  defects: Often[]
  broken: Often[]
}

/** Results of a tool such as "57 of 60", with the medians of requests and seconds. */
export interface ToolFigures {
  caught: string
  wronglyReported: string
  requests: number
  seconds: number
}

/** Written by `npm run prove -- --peer schemathesis`. */
export interface PeerFigures {
  version: string
  /** One in `every` servers was tried. */
  every: number
  examples: number
  /** Excluded checks of the peer, with reasons. */
  leftOut: Record<string, string>
  kit: ToolFigures
  peer: ToolFigures
  /** Conforming variants that the peer reported. */
  wrongly: string[]
}

const read = (name: string): unknown => {
  const file = new URL(name, import.meta.url)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** Undefined until measured. */
export const readOften = (): OftenFigures | undefined =>
  read('often.json') as OftenFigures | undefined
export const readPeer = (): PeerFigures | undefined => read('peer.json') as PeerFigures | undefined
