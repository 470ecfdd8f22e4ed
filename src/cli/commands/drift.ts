/** `countersign drift`: fields of payloads, and what changed in them since a time or a file. */
import {
  fieldChanges,
  enumeration,
  type FieldChange,
  type FieldChanges,
} from '../../shared/drift/field-changes.ts'
import { parentCount, presentCount, profiledCount } from '../../shared/drift/field-profile.ts'
import type { EventProfile, Profile } from '../../shared/drift/profile-schema.ts'
import { readProfile, writeProfile } from '../../shared/drift/profile-file.ts'
import { ProfileSum } from '../../shared/drift/profile-sum.ts'
import { readStart } from '../options/start-time.ts'
import { scanAround, scanFields } from '../../shared/rpc/scan-fields.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { counted, deliveryCount, listed } from '../../shared/text/english.ts'
import { defineCommand } from '../command.ts'
import { EXIT } from '../context.ts'
import { printChanges, printFields } from '../drift-text.ts'
import { withStop } from '../lifetime.ts'
import { queryArgument } from '../options/delivery-arguments.ts'
import { nonBlankOption } from '../options/input.ts'
import { readNamedFile } from '../options/input-files.ts'
import { listedSearchOf, noteNoMatch, searchOptions } from '../options/search-options.ts'
import { writeOutput } from '../output-file.ts'
import { createProgress } from '../print.ts'
import { checkReportFiles } from '../report-files.ts'
import { NOTHING_CAPTURED, type CommandRun } from '../session.ts'

const deliveriesOf = (profile: Profile) => profiledCount(profile) + profile.unread

const isoTime = (at: number) => new Date(at).toISOString()

/** Returns the JSON of an event's fields that scripts read. */
function eventJson(event: EventProfile) {
  const fields = event.fields.map((field) => {
    const of = parentCount(event, field)
    return {
      path: field.path,
      types: Object.fromEntries(field.kinds.map(({ kind, count }) => [kind, count])),
      absent: of === null ? null : of - presentCount(field),
      firstSeen: isoTime(field.first.at),
      lastSeen: isoTime(field.last.at),
      values: enumeration(field),
    }
  })
  return { event: event.event, deliveries: event.deliveries, fields }
}

function changeJson({ example, ...change }: FieldChange) {
  return { before: null, ...change, deliveryId: example.id }
}

interface Scans {
  /** Profile to compare with; null without one. */
  readonly before: Profile | null
  readonly current: Profile
}

const NOTHING: Scans = { before: null, current: { events: [], unread: 0 } }

/** Profiles the matches, separately before a time if there is one. */
async function readScans(
  run: CommandRun,
  client: Client,
  query: string,
  time: string | null,
): Promise<Scans> {
  const print = createProgress(run)
  const progress = (done: number) => print(() => `Read ${deliveryCount(done)}`)
  return withStop(run.env, async (signal) => {
    const scan = { query, signal, progress }
    if (time === null) return { before: null, current: await scanFields(client, scan) }
    const { before, since } = await scanAround(client, { ...scan, time })
    return { before, current: since }
  })
}

function totalOf({ before, current }: Scans): Profile {
  const sum = new ProfileSum()
  if (before !== null) sum.add(before)
  sum.add(current)
  return sum.total()
}

function noteUncompared(run: CommandRun, { uncompared }: FieldChanges): void {
  if (uncompared.length > 0)
    run.output.note(`Not compared: ${listed(uncompared, 'and')}. Only one side has deliveries.`)
}

export const add = defineCommand({
  description:
    'Show the fields of captured payloads: types, how often null or absent, and small sets of values. With --since or --against, show what changed.',
  exits: { 1: 'a field changed or nothing could be compared' },
  examples: [
    ['Show the fields of refunds', 'drift event:transaction.refund'],
    ['Show what changed since yesterday', 'drift --since yesterday', { exits: 1 }],
    [
      'Keep the fields of today in the repository, and compare later ones in CI',
      'drift --save fields.json',
    ],
    [
      'Compare with the kept ones',
      'drift --against fields.json',
      { notRun: 'needs the file of the example before' },
    ],
  ],
  args: {
    query: queryArgument(
      '[query]',
      'search, for example: event:transaction.* is:valid (see docs/query.md)',
    ),
  },
  options: {
    since: nonBlankOption('<time>', 'compare deliveries since a time with earlier ones').conflicts(
      'against',
    ),
    against: nonBlankOption('<file>', 'compare with fields that --save wrote'),
    save: nonBlankOption('<file>', 'write the fields to a file'),
    ...searchOptions,
  },
  async run(input, run) {
    const { query, since, against, save } = input
    const time = since === undefined ? null : readStart(since, run.now())
    const kept =
      against === undefined ? null : readProfile(readNamedFile(against).toString('utf8'), against)
    await checkReportFiles([save])
    const session = await run.findData(run.output.asJson ? null : NOTHING_CAPTURED)
    const search =
      session === null ? query : await listedSearchOf(session.client, input, run.output)
    const scans = session === null ? NOTHING : await readScans(run, session.client, search, time)
    if (save !== undefined) {
      await writeOutput(save, writeProfile(totalOf(scans)), 'shared')
      run.output.note(`Saved the fields to ${save}.`)
    }
    return report(run, { current: scans.current, before: kept ?? scans.before }, { query, time })
  },
})

function report(
  run: CommandRun,
  { before, current }: Scans,
  { query, time }: { readonly query: string; readonly time: string | null },
): typeof EXIT.done | typeof EXIT.negative {
  const { output } = run
  const compared = before === null ? null : fieldChanges(before, current)
  const hasCommon =
    before === null ||
    current.events.some(({ event }) => before.events.some((other) => other.event === event))
  const result = {
    deliveries: deliveriesOf(current),
    before: before === null ? null : deliveriesOf(before),
    unread: current.unread,
    since: time,
    events: current.events.map(eventJson),
    changes: compared?.changes.map(changeJson) ?? null,
    uncompared: compared?.uncompared ?? [],
  }
  output.result(result, () => {
    if (result.deliveries === 0) noteNoMatch(run, query)
    else if (compared === null) printFields(output, current.events)
    else printChanges(output, compared.changes)
  })
  if (current.unread > 0)
    output.note(
      `${deliveryCount(current.unread)} left out: no known event, or no JSON that can be read.`,
    )
  if (compared === null) return EXIT.done
  noteUncompared(run, compared)
  if (!hasCommon) {
    output.note('Nothing compared: no event has deliveries on both sides.')
    return EXIT.negative
  }
  const { length } = compared.changes
  output.note(length === 0 ? 'No field changed.' : `${counted(length, 'change')}.`)
  return length === 0 ? EXIT.done : EXIT.negative
}
