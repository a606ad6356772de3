import { reporters } from '../../contract/index.ts'
import type { Reached, Report } from '../../contract/report/report.ts'
import { scorecardReporters } from '../../mock/scorecard/reporters.ts'
import type { Scorecard } from '../../mock/index.ts'
import type { Parsed } from '../../options.ts'
import { type Console, warn } from '../command.ts'
import { prepareOutputs, readOutputs, writeOutputs, writeStepSummary } from '../outputs.ts'
import type { Nothing, ProxyJudge } from '../../proxy/judge.ts'
import { conforming } from '../../verify/conforming.ts'
import { readRecording } from '../verify/recording.ts'

/** Why traffic could not be judged; `none`: there was no request. */
type NothingKind = Nothing['kind'] | 'none'

/** Traffic that was judged. */
interface JudgedTraffic extends Pick<
  ProxyJudge,
  'hasJudged' | 'report' | 'shown' | 'whyNothing' | 'withConforming'
> {
  scorecards: () => Promise<Scorecard[]>
}

/**
 * Prepares the outputs of judged traffic. Returns a function that writes them and returns the exit code. `reason` is for
 * traffic without any request, `advice` for traffic in which nothing could be judged.
 */
export async function openConclusion(console: Console, flags: Parsed, reached: Reached) {
  const isDefault = !['reporter', 'scorecard', 'quiet'].some((name) => flags.has(name))
  // Its default is for runs without any of these flags.
  const wanted = flags.has('reporter') || isDefault ? flags.list('reporter') : []
  const outputs = readOutputs<Report>(console, wanted, reporters)
  const cards = readOutputs<readonly Scorecard[]>(
    console,
    flags.list('scorecard'),
    scorecardReporters,
  )
  const recording = await readRecording(flags)
  await prepareOutputs([...outputs, ...cards, ...recording])
  if (isDefault) {
    // After the report, on stdout as well.
    const render: typeof scorecardReporters.text = (...card) =>
      `\nClients\n\n${scorecardReporters.text(...card)}`
    cards.push({ name: 'text', render, file: undefined })
  }

  return async function conclude(
    traffic: JudgedTraffic,
    nothing: { reason: string; advice: (kind: NothingKind) => string },
  ): Promise<number> {
    const found = traffic.whyNothing()
    const reason = traffic.hasJudged() ? undefined : (found?.reason ?? nothing.reason)
    const report = {
      ...(await traffic.withConforming(traffic.report(reason), conforming)),
      reached,
    }
    const scorecards = await traffic.scorecards()
    const hasIssues = scorecards.some(({ issues }) =>
      issues.some(({ severity }) => severity === 'violation'),
    )
    const problems = [
      ...(report.verdict === 'violates' ? ['violations'] : []),
      ...(hasIssues ? ['issues'] : []),
    ]
    const failsOn = String(flags.text('fail-on'))
    const isFailed = failsOn === 'any' ? problems.length > 0 : problems.includes(failsOn)
    let code = isFailed ? 1 : reason === undefined ? 0 : 3
    code = await writeOutputs(console, outputs, report, code, flags.has('verbose'))
    if (scorecards.some(({ requests }) => requests > 0))
      code = await writeOutputs(console, cards, scorecards, code)
    code = await writeStepSummary(console, outputs, report, code)
    if (reason === undefined)
      return writeOutputs(console, recording, { shown: traffic.shown(), report }, code)
    const isShown = outputs.some(({ name, file }) => name === 'text' && file === undefined)
    const advice = nothing.advice(found?.kind ?? 'none')
    warn(console, isShown ? advice : `${reason}. ${advice}`)
    return code
  }
}
