import { folders } from '../../support/folders.ts'

/** The page with the current table of folders. */
export function withFolders(page: string): string {
  const code = (name: string): string => (name === 'base' ? 'base' : `\`${name}\``)
  const rows = Object.entries(folders).map(
    ([name, { role, imports }]) => `| ${code(name)} | ${role} | ${imports.map(code).join(', ')} |`,
  )
  const table = ['| folder of `src/` | for | imports |', '| --- | --- | --- |', ...rows].join('\n')
  return page.replace(
    /(<!-- folders -->\n)[\s\S]*?(<!-- \/folders -->)/,
    (_, open: string, close: string) => `${open}\n${table}\n\n${close}`,
  )
}
