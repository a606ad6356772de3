/** Validators of the JSON schemas in the package. */
import { readFileSync } from 'node:fs'
import formats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'

export const ajv = formats.default(
  new Ajv2020({ allErrors: true, strictRequired: false, allowUnionTypes: true }),
)

const compile = (path: string) =>
  ajv.compile(JSON.parse(readFileSync(new URL(`../../src/${path}`, import.meta.url), 'utf8')))

export const isReport = compile('contract/report/report.schema.json')
export const isBaseline = compile('contract/report/baseline.schema.json')
export const isComparison = compile('contract/report/comparison.schema.json')
export const isConfig = compile('cli/config.schema.json')
export const areScorecards = compile('mock/scorecard/scorecard.schema.json')
