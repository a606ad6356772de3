import type { Console } from './console.ts'

/** One line on a terminal that is written over, and nothing in a pipe. */
export function createProgress({ terminal, tell }: Console): { show(line: string): void; end(): void } {
  if (!terminal.stderr) return { show() {}, end() {} }
  return {
    show: (line) => tell(`\r\u001b[2K${line}`),
    end: () => tell('\r\u001b[2K'),
  }
}
