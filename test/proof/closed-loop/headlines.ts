import { readFileSync } from 'node:fs'

/** The first cause and its headline for some deliberate defects, as a backend engineer reads them first. */
export const headlines = new Map(
  readFileSync(new URL('headlines.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [id = '', requirement, ...words] = line.split(' | ')
      return [id, [requirement, words.join(' | ')]] as const
    }),
)

/** Replaces parts that depend on the input or the Node version: ids, names, counts, messages of the parser. */
export const plain = (text: string): string =>
  text
    .replace(/\/pets\/\d{2,}/g, '/pets/ID')
    .replace(/\b(pet|Pet|id) \d{2,}\b(?! of)/g, '$1 ID')
    .replace(/\(Petkit \w+ \w+\)/, '(NAME)')
    .replace(/\(the catalog has \d+\)/, '(the catalog has N)')
    .replace(/^\d+ of \d+ responses/, 'N of M responses')
    .replace(/ \d+ of 20 pets/, ' N of 20 pets')
    .replace(/(is|as) -(?=\d{16})/g, '$1 ')
    .replace(/valid JSON \([^()]*\)/, 'valid JSON (WHY)')
