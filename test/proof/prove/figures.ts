import { existsSync, readFileSync } from 'node:fs'

/** In how many of so many runs a fault was found. The thorough depth includes the standard one. */
export interface Often {
  id: string
  standard: number
  thorough: number
}

/** `npm run prove -- --often` writes it. */
export interface OftenFigures {
  runs: number
  deviations: Often[]
  broken: Often[]
}

/** What a tool made of the servers: "57 of 60", and the middle of its requests and seconds. */
export interface ToolFigures {
  caught: string
  wronglyReported: string
  requests: number
  seconds: number
}

/** `npm run prove -- --peer schemathesis` writes it. */
export interface PeerFigures {
  version: string
  /** One in so many servers was tried. */
  every: number
  examples: number
  /** Checks of the peer that were left out, and why. */
  leftOut: Record<string, string>
  kit: ToolFigures
  peer: ToolFigures
  /** The conforming variants that the peer reported. */
  wrongly: string[]
}

const read = (name: string): unknown => {
  const file = new URL(name, import.meta.url)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** Undefined until it was measured. */
export const readOften = (): OftenFigures | undefined => read('often.json') as OftenFigures | undefined
export const readPeer = (): PeerFigures | undefined => read('peer.json') as PeerFigures | undefined
