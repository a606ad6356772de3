import { type ComponentChildren, Fragment } from 'preact'
import { useState } from 'preact/hooks'
import type { FaultName } from '../../../mock/schemas/faults.ts'
import type { Delay, Fault, Rule, RuleStep } from '../../../mock/schemas/schemas.gen.ts'
import { statusTexts } from '../../../spec/http.ts'
import { type OperationId, operationIds } from '../../../spec/operations.ts'
import { faultName, faultWords, type Kind, withOperation } from './kinds.ts'
import { readDuration } from '../../../duration.ts'
import { conditionWords, durationWords } from './words.ts'

interface Props {
  rule: Rule
  onChange: (rule: Rule) => void
}

/** A rule as a sentence whose words can be changed. */
export function Sentence({ kind, rule, onChange }: Props & { kind: Kind }) {
  const Words = sentences[kind]
  const conditions = conditionWords(rule.when ?? {})
  return (
    <div class="sentence" role="group" aria-label="The rule as a sentence">
      <Words rule={rule} onChange={onChange} />
      {conditions !== '' && <span> Only requests with {conditions}.</span>}
    </div>
  )
}

const sentences: Readonly<Record<Kind, (props: Props) => ComponentChildren>> = {
  fail: ({ rule, onChange }) => (
    <>
      Fail <Requests rule={rule} onChange={onChange} /> with{' '}
      <Status value={rule.reply?.status ?? 503} onChange={replyOf(rule, onChange)} />.
    </>
  ),
  delay: ({ rule, onChange }) => (
    <>
      Delay <Requests rule={rule} onChange={onChange} />{' '}
      <DelayWords
        value={rule.delayMs ?? 0}
        onChange={(delayMs) => onChange({ ...rule, delayMs })}
      />
      .
    </>
  ),
  fault: ({ rule, onChange }) => {
    const { fault = 'reset' } = rule
    return (
      <>
        <FaultMenu value={fault} onChange={(next) => onChange({ ...rule, fault: next })} />{' '}
        <Requests rule={rule} onChange={onChange} />
        {typeof fault === 'object' && (
          <>
            , over{' '}
            <Duration
              label="Duration of the body"
              value={fault.slowBodyMs}
              onChange={(slowBodyMs) => onChange({ ...rule, fault: { slowBodyMs } })}
            />
          </>
        )}
        .
      </>
    )
  },
  sequence: ({ rule, onChange }) => (
    <>
      Respond to <OperationMenu rule={rule} onChange={onChange} isMany />, one after the other, with{' '}
      <Steps value={rule.sequence ?? []} onChange={(sequence) => onChange({ ...rule, sequence })} />
    </>
  ),
  rateLimit: ({ rule, onChange }) => {
    const { rateLimit = { requests: 1, windowMs: 1_000 } } = rule
    return (
      <>
        Allow{' '}
        <Count
          label="Requests in each window"
          value={rateLimit.requests}
          onChange={(requests) => onChange({ ...rule, rateLimit: { ...rateLimit, requests } })}
        />{' '}
        <OperationMenu rule={rule} onChange={onChange} isMany /> in{' '}
        <Duration
          label="Window"
          value={rateLimit.windowMs}
          onChange={(windowMs) => onChange({ ...rule, rateLimit: { ...rateLimit, windowMs } })}
        />
        , and respond 429 to others.
      </>
    )
  },
  outage: ({ rule, onChange }) => (
    <>
      Fail every <OperationMenu rule={rule} onChange={onChange} isMany={false} /> with{' '}
      <Status value={rule.reply?.status ?? 503} onChange={replyOf(rule, onChange)} /> for{' '}
      <Duration
        label="Duration"
        value={rule.during?.forMs ?? 0}
        onChange={(forMs) => onChange({ ...rule, during: { forMs } })}
      />
      .
    </>
  ),
}

const replyOf =
  (rule: Rule, onChange: Props['onChange']) =>
  (status: number): void =>
    onChange({ ...rule, reply: { status } })

/** `the next [2] [listPets requests]`, or `every [listPets request]` */
function Requests({ rule, onChange }: Props) {
  const { times } = rule
  return (
    <>
      <select
        aria-label="How often"
        value={times === undefined ? 'every' : 'next'}
        onChange={(event) => {
          const { times: _, ...always } = rule
          onChange(event.currentTarget.value === 'every' ? always : { ...always, times: 1 })
        }}
      >
        <option value="next">the next</option>
        <option value="every">every</option>
      </select>{' '}
      {times !== undefined && (
        <>
          <Count
            label="Number of requests"
            value={times}
            onChange={(next) => onChange({ ...rule, times: next })}
          />{' '}
        </>
      )}
      <OperationMenu rule={rule} onChange={onChange} isMany={times !== undefined && times !== 1} />
    </>
  )
}

function OperationMenu({ rule, onChange, isMany }: Props & { isMany: boolean }) {
  const noun = isMany ? 'requests' : 'request'
  return (
    <select
      aria-label="Operation"
      value={String(rule.when?.operation ?? '')}
      onChange={(event) =>
        onChange(withOperation(rule, event.currentTarget.value as OperationId | ''))
      }
    >
      <option value="">{noun}</option>
      {operationIds.map((name) => (
        <option key={name} value={name}>
          {name} {noun}
        </option>
      ))}
    </select>
  )
}

const errors = Object.keys(statusTexts)
  .map(Number)
  .filter((status) => status >= 400)

function Status({ value, onChange }: { value: number; onChange: (status: number) => void }) {
  return (
    <select
      aria-label="Status"
      value={String(value)}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
    >
      {[...new Set([...errors, value])].map((status) => (
        <option key={status} value={String(status)}>
          {status} {statusTexts[status]}
        </option>
      ))}
    </select>
  )
}

function FaultMenu({ value, onChange }: { value: Fault; onChange: (fault: Fault) => void }) {
  return (
    <select
      aria-label="Fault"
      value={faultName(value)}
      onChange={(event) => {
        const name = event.currentTarget.value as FaultName
        onChange(name === 'slow-body' ? { slowBodyMs: 5_000 } : name)
      }}
    >
      {Object.entries(faultWords).map(([name, words]) => (
        <option key={name} value={name}>
          {words}
        </option>
      ))}
    </select>
  )
}

const delays = {
  fixed: { words: 'by', first: 2_000 },
  random: { words: 'by a random time from', first: { from: 100, to: 300 } },
  network: { words: 'as a slow network does: half within', first: { median: 80, p99: 900 } },
} as const satisfies Readonly<Record<string, { words: string; first: Delay }>>

function DelayWords({ value, onChange }: { value: Delay; onChange: (delay: Delay) => void }) {
  const name = typeof value === 'number' ? 'fixed' : 'from' in value ? 'random' : 'network'
  const field = (label: string, ms: number, set: (ms: number) => Delay) => (
    <Duration key={label} label={label} value={ms} onChange={(next) => onChange(set(next))} />
  )
  return (
    <>
      <select
        aria-label="Kind of delay"
        value={name}
        onChange={(event) => onChange(delays[event.currentTarget.value as typeof name].first)}
      >
        {Object.entries(delays).map(([kind, { words }]) => (
          <option key={kind} value={kind}>
            {words}
          </option>
        ))}
      </select>{' '}
      {typeof value === 'number' ? (
        field('Delay', value, (ms) => ms)
      ) : 'from' in value ? (
        <>
          {field('Shortest delay', value.from, (from) => ({ ...value, from }))} to{' '}
          {field('Longest delay', value.to, (to) => ({ ...value, to }))}
        </>
      ) : (
        <>
          {field('Median', value.median, (median) => ({ ...value, median }))} and 1 in 100 beyond{' '}
          {field('Delay of 1 in 100', value.p99, (p99) => ({ ...value, p99 }))}
        </>
      )}
    </>
  )
}

/** Steps that a menu offers: the ordinary response, a status, or a fault. */
const stepKinds: readonly [value: string, words: string][] = [
  ['', 'the usual response'],
  ...errors.map((status): [string, string] => [
    String(status),
    `${status} ${statusTexts[status] ?? ''}`,
  ]),
  ...Object.keys(faultWords)
    .filter((name) => name !== 'slow-body')
    .map((name): [string, string] => [name, name]),
]

function Steps({
  value,
  onChange,
}: {
  value: readonly RuleStep[]
  onChange: (steps: readonly RuleStep[]) => void
}) {
  const set = (at: number, next: RuleStep): void =>
    onChange(value.map((step, index) => (index === at ? next : step)))
  return (
    <>
      {value.map((step, index) => {
        const chosen = String(
          step.reply?.status ?? (step.fault === undefined ? '' : faultName(step.fault)),
        )
        const isListed = stepKinds.some(([name]) => name === chosen)
        return (
          <Fragment key={index}>
            <span class="step">
              {index > 0 && 'then '}
              <select
                aria-label={`Step ${index + 1}`}
                value={chosen}
                onChange={(event) => set(index, toStep(event.currentTarget.value))}
              >
                {[...stepKinds, ...(isListed ? [] : [[chosen, chosen] as const])].map(
                  ([name, words]) => (
                    <option key={name} value={name}>
                      {words}
                    </option>
                  ),
                )}
              </select>
              {value.length > 1 && (
                <button
                  type="button"
                  class="small plain"
                  aria-label={`Remove step ${index + 1}`}
                  onClick={() => onChange(value.filter((_, at) => at !== index))}
                >
                  ×
                </button>
              )}
            </span>{' '}
          </Fragment>
        )
      })}
      <button type="button" class="small" onClick={() => onChange([...value, {}])}>
        Add a step
      </button>
    </>
  )
}

function toStep(chosen: string): RuleStep {
  if (chosen === '') return {}
  return /^\d+$/.test(chosen)
    ? { reply: { status: Number(chosen) } }
    : { fault: chosen as Extract<Fault, string> }
}

function Count({
  label,
  value,
  onChange,
}: {
  label: string
  value: number
  onChange: (count: number) => void
}) {
  return (
    <input
      type="number"
      class="amount"
      aria-label={label}
      min={1}
      required
      value={value}
      onInput={({ currentTarget: { value: text, validity } }) => {
        if (validity.valid) onChange(Number(text))
      }}
    />
  )
}

/** A time with its unit; an invalid one stays in the field, and the form is not sent. */
function Duration({
  label,
  value,
  onChange,
}: {
  label: string
  value: number
  onChange: (ms: number) => void
}) {
  const [typed, setTyped] = useState('')
  const read = readDuration(typed)
  const isTyped = typed !== '' && (read === undefined || read === value)
  return (
    <input
      class="duration"
      aria-label={label}
      required
      value={isTyped ? typed : durationWords(value)}
      onInput={({ currentTarget }) => {
        const ms = readDuration(currentTarget.value)
        currentTarget.setCustomValidity(
          ms === undefined ? 'Write a time with its unit, such as 500 ms or 2 s.' : '',
        )
        setTyped(currentTarget.value)
        if (ms !== undefined) onChange(ms)
      }}
    />
  )
}
