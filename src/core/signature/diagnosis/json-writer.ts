/** Prints a JSON text in many spellings, equal outputs only once, because most spellings agree. */
import { nodesOf, type JsonNode } from '../../../shared/json/tree.ts'
import {
  floatNumber,
  isIndexKey,
  memberNameOf,
  shortNumber,
  writeJson,
  type Spelling,
} from './json-spelling.ts'

export function createJsonWriter(
  tree: JsonNode,
  has: Peculiarities,
): (spelling: Spelling) => string {
  const leaves = distinctLeaves(tree)
  const textPrinter = createLeafPrinters(leaves.texts)
  const numberPrinter = createLeafPrinters(leaves.numbers)
  const cache = new Map<string, string>()
  return (spelling) => {
    const { indent, comma, colon, sortKeys, keepDuplicates, indexKeysFirst, emptyObject } = spelling
    const text = textPrinter(spelling.text)
    const number = numberPrinter(spelling.number)
    // Only what this tree shows, which also saves sorting keys that are sorted.
    const order = {
      sortKeys: (has.unsorted || sortKeys === 'length') && sortKeys,
      indexKeysFirst: has.indexKeys && indexKeysFirst && sortKeys === false,
      keepDuplicates: !has.duplicates || keepDuplicates,
    }
    const cacheKey = JSON.stringify([
      indent ?? comma,
      indent === null,
      colon,
      text.outputId,
      number.outputId,
      order,
      has.emptyObjects && emptyObject,
    ])
    let json = cache.get(cacheKey)
    if (json === undefined) {
      json = writeJson(tree, { ...spelling, ...order, text: text.print, number: number.print })
      cache.set(cacheKey, json)
    }
    return json
  }
}

/** Features of a JSON text that serializers print differently. */
interface Peculiarities {
  readonly numbers: boolean
  readonly duplicates: boolean
  readonly indexKeys: boolean
  readonly unsorted: boolean
  readonly emptyObjects: boolean
}

export function peculiaritiesOf(tree: JsonNode): Peculiarities {
  let numbers = false
  let duplicates = false
  let indexKeys = false
  let unsorted = false
  let emptyObjects = false
  for (const { kind, raw, children } of nodesOf(tree)) {
    if (kind === 'number') numbers ||= shortNumber(raw) !== raw || floatNumber(raw) !== raw
    if (kind !== 'object') continue
    const names = children.map(memberNameOf)
    duplicates ||= new Set(names).size < names.length
    indexKeys ||= names.some(isIndexKey)
    unsorted ||= names.some((name, index) => index > 0 && !(names[index - 1]! < name))
    emptyObjects ||= names.length === 0
  }
  return { numbers, duplicates, indexKeys, unsorted, emptyObjects }
}

function distinctLeaves(tree: JsonNode): {
  readonly texts: readonly string[]
  readonly numbers: readonly string[]
} {
  const texts = new Set<string>()
  const numbers = new Set<string>()
  for (const { kind, raw, rawName } of nodesOf(tree)) {
    if (rawName !== null) texts.add(rawName)
    if (kind === 'string') texts.add(raw)
    else if (kind === 'number') numbers.add(raw)
  }
  return { texts: [...texts], numbers: [...numbers] }
}

/** Printer of leaves; those with equal output share `outputId`. */
interface LeafPrinter {
  readonly outputId: number
  readonly print: (raw: string) => string
}

/** Creates a function that applies a printer to all leaves once. */
function createLeafPrinters(raws: readonly string[]): (print: LeafPrinter['print']) => LeafPrinter {
  const printers = new Map<LeafPrinter['print'], LeafPrinter>()
  const outputIds = new Map<string, number>()
  return (print) => {
    let printer = printers.get(print)
    if (printer === undefined) {
      const texts = new Map(raws.map((raw) => [raw, print(raw)]))
      const output = [...texts.values()].join('\n')
      const outputId = outputIds.get(output) ?? outputIds.size
      outputIds.set(output, outputId)
      printer = { outputId, print: (raw) => texts.get(raw) ?? raw }
      printers.set(print, printer)
    }
    return printer
  }
}
