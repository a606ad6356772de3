/** The site: the Markdown files of the repository, with search, dark mode and live samples. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'

const root = join(import.meta.dirname, '../..')
/** Folders of docs/ in reading order. */
const parts = [
  ['tutorials', 'Tutorials'],
  ['how-to', 'How-to guides'],
  ['reference', 'Reference'],
  ['explanation', 'Explanation'],
  ['project', 'Project'],
].filter(([folder]) => existsSync(join(root, 'docs', folder)))

/** The pages of a folder of docs/, by their titles. */
function pagesOf(folder) {
  return readdirSync(join(root, 'docs', folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => {
      const [, title = name] =
        /^# (.+)$/m.exec(readFileSync(join(root, 'docs', folder, name), 'utf8')) ?? []
      return { text: title, link: `/docs/${folder}/${name.replace(/\.md$/, '')}` }
    })
}

const sidebar = [
  { text: 'Start', link: '/' },
  ...parts.map(([folder, text]) => ({
    text,
    collapsed: folder === 'project',
    items: pagesOf(folder),
  })),
  {
    text: 'Examples',
    items: readdirSync(join(root, 'examples'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => ({ text: name, link: `/examples/${name}/` })),
  },
]

// Links with these extensions are links to files.
process.env.VITE_EXTRA_EXTENSIONS = 'development,go,html,py,sh,tsx'

/** Ids of headings like on GitHub, which the links use. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

export default defineConfig({
  title: 'petstore-kit',
  description: 'Mock server and contract test suite of the Pet Store Service',
  // A project page is served below its name: SITE_BASE=/petstore-kit/
  base: process.env.SITE_BASE ?? '/',
  srcDir: './pages',
  outDir: './dist',
  cacheDir: './.cache',
  lastUpdated: false,
  // Other linked files (workflows, JSON, samples) are copied, too; test/slow/docs/site.test.ts checks links.
  ignoreDeadLinks: true,
  themeConfig: {
    nav: [
      { text: 'Docs', link: '/docs/' },
      {
        text: 'Samples',
        items: [
          { text: 'Report: pass', link: '/samples/report-pass.html', target: '_blank' },
          { text: 'Report: fail', link: '/samples/report-fail.html', target: '_blank' },
          { text: 'Scorecard', link: '/samples/scorecard.html', target: '_blank' },
          { text: 'Terminal', link: '/samples/terminal.html', target: '_blank' },
        ],
      },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    sidebar,
    search: { provider: 'local' },
    outline: [2, 3],
  },
  markdown: {
    anchor: { slugify },
    config(markdown) {
      const fence = markdown.renderer.rules.fence.bind(markdown.renderer.rules)
      markdown.renderer.rules.fence = (tokens, index, ...rest) => {
        const { info, content } = tokens[index]
        if (info.trim() === 'mermaid')
          return `<pre class="mermaid">${markdown.utils.escapeHtml(content)}</pre>`
        // Text after the language is for the tests that run the block.
        tokens[index].info = info.split(' ', 1)[0]
        return fence(tokens, index, ...rest)
      }
    },
  },
})
