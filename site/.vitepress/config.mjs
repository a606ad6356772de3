/** The site: the Markdown files of the repository, with search, dark mode and live samples. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'

const root = join(import.meta.dirname, '../..')

/** Lists that readers find by search, or from a page about the problem. */
const isLookup = (page) => /\/(?:messages|wrong-commands)(?:\.md)?$/.test(page)

/**
 * The sidebar in the order of docs/README.md: a group for each of its headings, and within it a group for each line in
 * bold. A line with several links starts with their common name.
 */
function readIndex() {
  const groups = []
  let items
  for (const line of readFileSync(join(root, 'docs/README.md'), 'utf8').split('\n')) {
    const [, heading] = /^## (.+)$/.exec(line) ?? []
    const [, part] = /^\*\*(.+)\*\*$/.exec(line) ?? []
    if (heading !== undefined) {
      items = []
      groups.push({ text: heading, collapsed: heading === 'Project', items })
    } else if (part !== undefined) {
      items = []
      groups.at(-1).items.push({ text: part, collapsed: false, items })
    } else {
      const links = [...line.matchAll(/\[([^\]]+)\]\(([^)#]+)\.md\)/g)]
        .filter(([, , page]) => !isLookup(page))
        .map(([, text, page]) => ({
          text: text[0].toUpperCase() + text.slice(1),
          link: `/docs/${page}`,
        }))
      items?.push(...links)
    }
  }
  return groups
}

const sidebar = [
  { text: 'Start', link: '/' },
  ...readIndex(),
  {
    text: 'Examples',
    collapsed: true,
    items: readdirSync(join(root, 'examples'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => ({ text: name, link: `/examples/${name}/` })),
  },
]

/** Pages about the project contain every word, and help no reader of the documentation: search leaves them out. */
const isOfProject = (page) => /^(?:docs\/project\/|bench\/|CHANGELOG|CONTRIBUTING)/.test(page)

/** How search ranks sections. VitePress ships the text of these functions to pages, so they use nothing from outside. */
const searchOptions = {
  /** Guides come first: who searches has a task. Lists of ids come after what explains them. */
  boostDocument: (id) =>
    /\/docs\/(?:how-to|tutorials)\//.test(id)
      ? 1.4
      : /\/docs\/(?:explanation|reference\/(?:defects|requirements|scorecard))\b/.test(id)
        ? 0.6
        : 1,
  /** Words of every question would outweigh those of the task. */
  processTerm: (term) =>
    /^(?:an?|and|are|as|at|be|but|by|can|did|do|for|from|how|i|if|in|is|its?|me|my|not|of|on|or|that|the|then|there|this|to|was|when|with|you|your)$/i.test(
      term,
    )
      ? null
      : term.toLowerCase(),
  /** Short words have too many neighbors: "Bun" is not "run". */
  prefix: (term) => term.length > 3,
  fuzzy: (term) => (term.length > 5 ? 0.2 : false),
}

// Links with these extensions are links to files.
process.env.VITE_EXTRA_EXTENSIONS = 'cfg,development,go,html,java,jsx,py,sh,tsx,vue'

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
    search: {
      provider: 'local',
      options: {
        miniSearch: { searchOptions },
        _render(source, env, markdown) {
          const html = markdown.render(source, env)
          if (isOfProject(env.relativePath)) return ''
          // Each message is a section: the whole list would be too long to be the best one.
          return html.replaceAll(
            /<tr id="([^"]+)">\s*<td[^>]*>(.*?)<\/td>/g,
            '<h3>$2<a href="#$1"></a></h3>',
          )
        },
      },
    },
    outline: [2, 3],
  },
  markdown: {
    // Their colors have enough contrast.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify },
    languageAlias: { cjs: 'js', mjs: 'js' },
    config(markdown) {
      markdown.renderer.rules.tr_open = (tokens, index, options, env, self) => {
        if (isLookup(env.relativePath) && tokens[index + 1].type === 'td_open')
          tokens[index].attrSet('id', `row-${index}`)
        return self.renderToken(tokens, index, options)
      }
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
