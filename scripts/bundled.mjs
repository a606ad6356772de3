/** Bundles modules of this repository, for the scripts that generate code from them. */
import { rolldown } from 'rolldown'

/**
 * Returns the tree-shaken code of a module with all its imports.
 *
 * @param entry the `file`, or its `text`.
 */
export async function bundled({ file = 'entry.js', text }, external = []) {
  const virtual = {
    name: 'text',
    resolveId: (path) => (path === file ? `\0${file}` : undefined),
    load: (path) => (path === `\0${file}` ? text : undefined),
  }
  const bundle = await rolldown({
    input: file,
    external,
    platform: 'neutral',
    logLevel: 'silent',
    plugins: text === undefined ? [] : [virtual],
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  await bundle.close()
  return output[0].code
}

/** Loads the exports of such a module. */
export async function load(entry) {
  return import(`data:text/javascript,${encodeURIComponent(await bundled(entry, /^node:/))}`)
}
