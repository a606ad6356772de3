import { useEffect, useState } from 'preact/hooks'
import type { ControlSchemas } from '../../control.gen.ts'
import { Curl } from '../parts/copy.tsx'
import { Head, Submit, Waiting } from '../parts/layout.tsx'
import { change, useResource } from '../state/resource.ts'

/** From this day on, getPet is removed. */
const removal = Date.parse('2030-12-05T00:00:00Z')
const day = 86_400_000

const steps: readonly [name: string, ms: number][] = [
  ['1 second', 1_000],
  ['1 minute', 60_000],
  ['1 hour', 3_600_000],
  ['1 day', day],
  ['30 days', 30 * day],
]

type Clock = ControlSchemas['Clock']

/** The clock of the sandbox, which decides whether getPet is removed. */
export function TimeTravel() {
  const { data: clock, error } = useResource<Clock>('/clock')
  const now = useNow(clock)
  const [date, setDate] = useState('2030-12-05T00:00')
  if (clock === undefined) return <Waiting error={error} />
  const isRemoved = now >= removal
  const instant = `${date.length === 16 ? `${date}:00` : date}Z`
  return (
    <>
      <Head
        title="Time"
        lead="The clock of the sandbox. It controls the removal of getPet, rate limits and outages."
      >
        <button type="button" onClick={() => void setFrozen(!clock.frozen)}>
          {clock.frozen ? 'Start' : 'Stop'}
        </button>
        <button
          type="button"
          onClick={() => void change('The clock was reset.', 'DELETE', '/clock')}
        >
          Reset the clock
        </button>
      </Head>
      <div class="card stack">
        <p class="clock">
          <time dateTime={iso(now)}>
            {iso(now)
              .replace('T', ' ')
              .replace(/\.\d+Z$/, ' UTC')}
          </time>{' '}
          <span class="tag">{clock.frozen ? 'stopped' : 'running'}</span>
        </p>
        <div class="scroll" tabIndex={0} role="region" aria-label="Timeline">
          <Timeline now={now} />
        </div>
        <p>
          {isRemoved ? (
            <>
              <span class="tag bad">removed</span> getPet was removed on 5 December 2030:{' '}
              <code>GET /pets/1</code> does not find the operation.
            </>
          ) : (
            <>
              <span class="tag good">works</span> getPet works until 5 December 2030, in{' '}
              {days(removal - now)}.
            </>
          )}
        </p>
        <div class="actions">
          <button type="button" onClick={() => void jump('2030-12-04T23:59:00Z')}>
            A minute before the removal
          </button>
          <button type="button" class="primary" onClick={() => void jump('2030-12-05T00:00:00Z')}>
            The removal of getPet
          </button>
        </div>
      </div>
      <div class="columns">
        <form
          class="card"
          onSubmit={(event) => {
            event.preventDefault()
            void jump(instant)
          }}
        >
          <h2>Jump to a point in time</h2>
          <label>
            Date and time, in UTC
            <input
              type="datetime-local"
              required
              step="1"
              value={date}
              onInput={(event) => setDate(event.currentTarget.value)}
            />
          </label>
          <Submit>Jump</Submit>
          <Curl method="PUT" path="/clock" body={{ now: instant }} />
        </form>
        <div class="card stack">
          <h2>Advance</h2>
          <div class="actions">
            {steps.map(([name, ms]) => (
              <button
                key={name}
                type="button"
                onClick={() =>
                  void change(`The clock moved by ${name}.`, 'POST', '/clock/advance', { ms })
                }
              >
                + {name}
              </button>
            ))}
          </div>
          <p class="soft">Applies from the next request on.</p>
          <Curl method="POST" path="/clock/advance" body={{ ms: 60_000 }} />
        </div>
      </div>
    </>
  )
}

const jump = (now: string): Promise<boolean> =>
  change(`The clock is stopped at ${now}.`, 'PUT', '/clock', { now })
const setFrozen = (frozen: boolean): Promise<boolean> =>
  change(`The clock is ${frozen ? 'stopped' : 'running'}.`, 'PUT', '/clock', { frozen })
const iso = (ms: number): string => new Date(ms).toISOString()

function days(ms: number): string {
  const count = Math.ceil(ms / day)
  return count === 1 ? 'less than a day' : `${count.toLocaleString('en')} days`
}

/** The current time of the clock, updated every second between readings. */
function useNow(clock: Clock | undefined): number {
  const [readAt, setReadAt] = useState({ text: '', at: 0 })
  const [, tick] = useState(0)
  useEffect(() => setReadAt({ text: clock?.now ?? '', at: performance.now() }), [clock])
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 1_000)
    return () => clearInterval(timer)
  }, [])
  if (clock === undefined) return 0
  const passed = clock.frozen || readAt.text !== clock.now ? 0 : performance.now() - readAt.at
  return Date.parse(clock.now) + passed
}

/** The maximum number of labeled years; more would not fit on a phone. */
const mostYears = 6

/** A timeline of today, the removal of getPet, and the clock. */
function Timeline({ now }: { now: number }) {
  const today = Date.now()
  const from = Math.min(now, today, removal) - 120 * day
  const to = Math.max(now, today, removal) + 120 * day
  const share = (at: number): number => 2 + ((at - from) / (to - from)) * 96
  const years = Array.from(
    { length: new Date(to).getUTCFullYear() - new Date(from).getUTCFullYear() },
    (_, index) => new Date(from).getUTCFullYear() + index + 1,
  )
  const label = `A timeline: the clock shows ${iso(now).slice(0, 10)}, today is ${iso(today).slice(0, 10)}, getPet is removed on 2030-12-05.`
  return (
    <svg class="timeline" height="96" role="img" aria-label={label}>
      <rect x="2%" y="46" height="6" width={`${share(removal) - 2}%`} class="works" />
      <rect
        x={`${share(removal)}%`}
        y="46"
        height="6"
        width={`${98 - share(removal)}%`}
        class="removed"
      />
      {years
        .filter((_, index) => index % Math.ceil(years.length / mostYears) === 0)
        .map((year) => (
          <Mark key={year} className="year" at={share(Date.UTC(year, 0))} text={String(year)} />
        ))}
      <Mark className="mark" at={share(today)} text="today" />
      <Mark className="mark" at={share(removal)} text="getPet is removed" />
      <circle cx={`${share(now)}%`} cy="49" r="8" class="hand" />
      <Label className="now" at={share(now)} text={iso(now).slice(0, 10)} y={92} />
    </svg>
  )
}

/** A line at a position in percent, with its label above the timeline, or below it for a year. */
function Mark({ className, at, text }: { className: 'year' | 'mark'; at: number; text: string }) {
  const [from, y] = className === 'year' ? [46, 74] : [34, 30]
  return (
    <g class={className}>
      <line x1={`${at}%`} x2={`${at}%`} y1={from} y2="58" />
      <Label at={at} text={text} y={y} />
    </g>
  )
}

/** A label that stays inside the picture; a year is short enough to be centered. */
function Label({
  className,
  at,
  text,
  y,
}: {
  className?: string
  at: number
  text: string
  y: number
}) {
  const anchor =
    text.length > 4 && at < 15 ? 'start' : text.length > 4 && at > 80 ? 'end' : 'middle'
  return (
    <text class={className} x={`${at}%`} y={y} text-anchor={anchor}>
      {text}
    </text>
  )
}
