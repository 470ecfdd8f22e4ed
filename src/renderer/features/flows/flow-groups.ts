/** The flows as they are listed: by what they are about, which is the first section of the interface that each shows; and searched. */
import type { FlowSummary } from '../../../shared/model/flow-run.ts'

const groupOfSection: readonly (readonly [pattern: RegExp, title: string])[] = [
  [/^2\.[234]/, 'Brands, locations, programs'],
  [/^2\.5/, 'Cards'],
  [/^2\.6/, 'Purchases and refunds'],
  [/^2\./, 'Offers'],
  [/^6/, 'Retries, repeats, order'],
  [/^[458]/, 'Signatures and hooks'],
]
const REST = 'Others'

function groupOf({ sections }: FlowSummary): string {
  return groupOfSection.find(([pattern]) => pattern.test(sections[0] ?? ''))?.[1] ?? REST
}

/** Groups in a fixed order, without empty ones; the flows of each in theirs. */
export function flowGroups(flows: readonly FlowSummary[]): readonly (readonly [string, readonly FlowSummary[]])[] {
  return [...groupOfSection.map(([, title]) => title), REST]
    .map((title) => [title, flows.filter((flow) => groupOf(flow) === title)] as const)
    .filter(([, all]) => all.length > 0)
}

/** Those that have every word somewhere: in their name, title, or what they show. */
export function searchFlows(flows: readonly FlowSummary[], text: string): readonly FlowSummary[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return flows.filter(({ name, title, about, mode }) => {
    const whole = `${name} ${title} ${about ?? ''} ${mode}`.toLowerCase()
    return words.every((word) => whole.includes(word))
  })
}
