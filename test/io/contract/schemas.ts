import { readFileSync } from 'node:fs'
import formats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'

const ajv = formats.default(new Ajv2020({ allErrors: true, strictRequired: false }))

const compile = (path: string): ((value: unknown) => boolean) => {
  const validate = ajv.compile(JSON.parse(readFileSync(new URL(`../../../src/${path}`, import.meta.url), 'utf8')))
  return (value) => validate(value)
}

/** Whether a value is what the schema that the package ships demands. */
export const isReport = compile('contract/report.schema.json')
export const isBaseline = compile('contract/baseline.schema.json')
export const isConfig = compile('cli/config.schema.json')
