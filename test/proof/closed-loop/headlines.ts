import { readFileSync } from 'node:fs'

/** Of some deliberate defects, the requirement that leads and its headline: what a backend engineer reads first. */
export const headlines = new Map(
  readFileSync(new URL('headlines.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [id = '', clause, ...words] = line.split(' | ')
      return [id, [clause, words.join(' | ')]] as const
    }),
)

/** What another input of the suite, or another Node, changes: ids, names, how many pets there are, what a parser says. */
export const plain = (text: string): string =>
  text
    .replace(/\/pets\/\d{2,}/g, '/pets/ID')
    .replace(/\b(pet|Pet|id) \d{2,}\b(?! of)/g, '$1 ID')
    .replace(/\(Petkit \w+ \w+\)/, '(NAME)')
    .replace(/\(the catalog has \d+\)/, '(the catalog has N)')
    .replace(/ \d+ of 20 pets/, ' N of 20 pets')
    .replace(/(is|as) -(?=\d{16})/g, '$1 ')
    .replace(/valid JSON \([^()]*\)/, 'valid JSON (WHY)')
