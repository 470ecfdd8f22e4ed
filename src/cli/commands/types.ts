/** `countersign types`: writes payload types as code, a JSON Schema or an OpenAPI document. */
import { typesFormats, typesText } from '../../core/types/types.ts'
import { defineCommand } from '../command.ts'
import { choiceOption } from '../options/input.ts'
import { checkOutputOptions, openOutput, outputOptions } from '../output-file.ts'

export const add = defineCommand({
  description:
    'Write payload types of every event as TypeScript, Python, JSON Schema or OpenAPI 3.1. Fields that accounts in test mode omit or send as null are optional or nullable.',
  examples: [
    ['Write types for a TypeScript handler', 'types --format typescript -o webhook-payloads.ts'],
    [
      'Write a schema to validate bodies with',
      'types --format json-schema > webhook-payloads.schema.json',
    ],
  ],
  json: null,
  options: {
    format: choiceOption(
      '<name>',
      'typescript, python (3.11 or later), json-schema (draft 2020-12) or openapi (3.1)',
      typesFormats,
    ).required(),
    ...outputOptions,
  },
  async run(input, { output }) {
    checkOutputOptions(input)
    const sink = await openOutput(input, output, 'shared')
    await sink.write(typesText(input.format))
    await sink.finish()
    if (input.output !== undefined) output.note(`Wrote ${input.output}.`)
  },
})
