import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { type JsonValue, parseJson, printJson } from '../../json.ts'
import { jsonProblem } from '../../json-problem.ts'

/** The part of JSON Schema that the OpenAPI document of the control API uses. */
export interface Schema {
  $ref?: string
  type?: string
  enum?: readonly JsonValue[]
  oneOf?: readonly Schema[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  additionalProperties?: Schema | boolean
  description?: string
}

export type Schemas = Readonly<Record<string, Schema>>
type Fields = Readonly<Record<string, JsonValue>>

interface Props {
  name: string
  schema: Schema
  schemas: Schemas
  value: JsonValue | undefined
  onChange: (value: JsonValue) => void
}

/** A form for any value that a schema describes, so that new fields of the API need no code here. */
export function SchemaField(props: Props) {
  const schema = resolve(props.schema, props.schemas)
  const all = { ...props, schema }
  if (schema.properties !== undefined) return <ObjectFields {...all} />
  if (schema.oneOf !== undefined) return <Variants {...all} variants={schema.oneOf} />
  if (schema.enum !== undefined) return <Options {...all} options={schema.enum} />
  if (schema.type === 'integer' || schema.type === 'number')
    return <TextField {...all} inputMode="numeric" />
  if (schema.type === 'string') return <TextField {...all} />
  return <JsonField {...all} />
}

function resolve(schema: Schema, schemas: Schemas): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : { ...schemas[name], ...schema }
}

/** The fields that are set, and a menu to add others. */
function ObjectFields({ name, schema, schemas, value, onChange }: Props) {
  const fields = asFields(value)
  const known = Object.entries(schema.properties ?? {})
  const missing = known.filter(([field]) => fields[field] === undefined)
  return (
    <fieldset class="fields object">
      <legend>{name}</legend>
      {known
        .filter(([field]) => fields[field] !== undefined)
        .map(([field, inner]) => (
          <div key={field} class="field">
            <SchemaField
              name={field}
              schema={inner}
              schemas={schemas}
              value={fields[field]}
              onChange={(next) => onChange({ ...fields, [field]: next })}
            />
            {!schema.required?.includes(field) && (
              <button
                type="button"
                class="small plain"
                aria-label={`Remove ${field}`}
                onClick={() =>
                  onChange(
                    Object.fromEntries(Object.entries(fields).filter(([one]) => one !== field)),
                  )
                }
              >
                ×
              </button>
            )}
          </div>
        ))}
      {missing.length > 0 && (
        <select
          aria-label={`Add a field to ${name}`}
          value=""
          onChange={(event) => {
            const field = event.currentTarget.value
            const inner = schema.properties?.[field]
            if (inner !== undefined)
              onChange({ ...fields, [field]: initial(resolve(inner, schemas), schemas) })
          }}
        >
          <option value="">Add a field…</option>
          {missing.map(([field]) => (
            <option key={field}>{field}</option>
          ))}
        </select>
      )}
    </fieldset>
  )
}

/** A menu of the kinds of values, then a field for the chosen one. */
function Variants({ variants, ...props }: Props & { variants: readonly Schema[] }) {
  const kinds = variants.map((variant) => resolve(variant, props.schemas))
  const found = kinds.findIndex((kind) => looksLike(props.value, kind))
  const chosen = kinds[Math.max(0, found)] ?? {}
  return (
    <div class="variants">
      <label>
        {props.name}
        <select
          value={String(Math.max(0, found))}
          onChange={(event) =>
            props.onChange(initial(kinds[Number(event.currentTarget.value)] ?? {}, props.schemas))
          }
        >
          {kinds.map((kind, index) => (
            <option key={index} value={String(index)}>
              {labelOf(kind)}
            </option>
          ))}
        </select>
      </label>
      <SchemaField {...props} name={`${props.name} value`} schema={chosen} />
    </div>
  )
}

function Options({ name, value, options, onChange }: Props & { options: readonly JsonValue[] }) {
  return (
    <label>
      {name}
      <select
        value={show(value)}
        onChange={(event) => onChange(options[event.currentTarget.selectedIndex] ?? null)}
      >
        {options.map((option) => (
          <option key={show(option)}>{show(option)}</option>
        ))}
      </select>
    </label>
  )
}

function Described({
  name,
  schema,
  children,
}: Pick<Props, 'name' | 'schema'> & { children: ComponentChildren }) {
  return (
    <label title={schema.description}>
      {name}
      {children}
    </label>
  )
}

/** A text, or a number as text. The mock reports mistakes. */
function TextField({
  name,
  schema,
  value,
  onChange,
  inputMode,
}: Props & { inputMode?: 'numeric' }) {
  const take = (text: string): void =>
    onChange(inputMode === 'numeric' && /^-?\d+(\.\d+)?$/.test(text) ? parseJson(text) : text)
  return (
    <Described name={name} schema={schema}>
      <input
        {...(inputMode && { inputMode })}
        value={show(value ?? '')}
        onInput={(event) => take(event.currentTarget.value)}
      />
    </Described>
  )
}

/** Any other value, as JSON. Invalid JSON stays in the field. */
function JsonField({ name, schema, value, onChange }: Props) {
  const id = useId()
  const [text, setText] = useState(() => printJson(value, 2))
  const [isBroken, setBroken] = useState(false)
  return (
    <Described name={`${name} (JSON)`} schema={schema}>
      <textarea
        rows={3}
        value={text}
        aria-invalid={isBroken}
        aria-describedby={isBroken ? id : undefined}
        onInput={(event) => {
          setText(event.currentTarget.value)
          try {
            onChange(parseJson(event.currentTarget.value))
            setBroken(false)
          } catch {
            setBroken(true)
          }
        }}
      />
      {isBroken && (
        <span id={id} class="error">
          This is not JSON yet: {jsonProblem(text)}.
        </span>
      )}
    </Described>
  )
}

const show = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : printJson(value)

const asFields = (value: JsonValue | undefined): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** The initial value of a new field. */
function initial(schema: Schema, schemas: Schemas): JsonValue {
  const { type, enum: options, oneOf, properties, required = [], items } = schema
  if (options !== undefined) return options[0] ?? null
  if (oneOf?.[0] !== undefined) return initial(resolve(oneOf[0], schemas), schemas)
  if (type === 'integer' || type === 'number') return 1
  if (type === 'string') return ''
  if (type === 'array')
    return items === undefined ? [] : [initial(resolve(items, schemas), schemas)]
  const inner = required.map(
    (field) => [field, initial(resolve(properties?.[field] ?? {}, schemas), schemas)] as const,
  )
  return Object.fromEntries(inner)
}

function looksLike(
  value: JsonValue | undefined,
  { type, enum: options, properties }: Schema,
): boolean {
  if (options !== undefined) return options.includes(value ?? null)
  if (type === 'array') return Array.isArray(value)
  if (properties !== undefined)
    return Object.keys(properties).every((field) => asFields(value)[field] !== undefined)
  return type === 'integer' || type === 'number' ? typeof value !== 'object' : typeof value === type
}

function labelOf({ type, enum: options, properties }: Schema): string {
  if (options !== undefined) return `one of ${options.map(show).join(', ')}`
  if (properties !== undefined) return Object.keys(properties).join(' and ')
  return type === 'array' ? 'a list' : `a ${type ?? 'value'}`
}
