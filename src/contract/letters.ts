/** Common maximum lengths of names, in bytes or UTF-16 units. */
const cuts = [20, 30, 32, 50, 60, 64, 100, 128, 255]
const letters = { 2: 'éßΩшłñ', 3: '名前€अ犬猫', 4: '🐾𝒵🐕𐍈' } as const

/**
 * A name of multibyte letters in which every common limit falls inside a letter.
 *
 * @param bytes the minimum length in UTF-8
 */
export function nameAcrossCuts(beginning: string, bytes: number): string {
  let text = `${beginning} `
  const used = { 2: 0, 3: 0, 4: 0 }
  const append = (width: 2 | 3 | 4): void => {
    const all = [...letters[width]]
    text += all[used[width] % all.length] ?? ''
    used[width] += 1
  }
  const toCut = (length: number): number => (cuts.find((cut) => cut > length) ?? Infinity) - length
  for (;;) {
    const length = Buffer.byteLength(text)
    if (length >= bytes && !cuts.includes(length)) return text
    const left = toCut(length)
    if (left <= 3) append((left + 1) as 2 | 3 | 4)
    else if (left === 4) append(2)
    else if (toCut(text.length) === 1 && left !== 8) append(4)
    else append(left % 2 === 0 ? 2 : 3)
  }
}

/** Writes every UTF-16 unit as a \u escape of JSON. */
export const escapeAll = (text: string): string =>
  text.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
