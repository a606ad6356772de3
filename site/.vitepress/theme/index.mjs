/** The default theme in the colors of the kit, with diagrams that follow light and dark, and the mock on the home page. */
import { nextTick, watch } from 'vue'
import { useData, useRouter } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import './style.css'
import { tryMock } from './try.mjs'

export default {
  extends: DefaultTheme,
  setup() {
    const { isDark } = useData()
    const router = useRouter()
    const draw = async () => {
      await nextTick()
      tryMock()
      const blocks = [...document.querySelectorAll('pre.mermaid')]
      if (blocks.length === 0) return
      const { default: mermaid } = await import('mermaid')
      for (const block of blocks) {
        block.dataset.source ??= block.textContent
        block.textContent = block.dataset.source
        delete block.dataset.processed
      }
      mermaid.initialize({ startOnLoad: false, theme: isDark.value ? 'dark' : 'neutral' })
      await mermaid.run({ nodes: blocks })
    }
    if (typeof document === 'undefined') return
    watch([() => router.route.path, isDark], draw, { immediate: true, flush: 'post' })
  },
}
