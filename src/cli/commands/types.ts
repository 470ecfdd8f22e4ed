/** `countersign types`: writes the payloads of every event as types, a JSON Schema or an OpenAPI document. */
import { typesFormats, typesText } from '../../core/types/types.ts'
import { defineCommand } from '../command.ts'
import { choice } from '../options.ts'
import { checkOutputOptions, openOutput, outputOptions } from '../output-file.ts'

export const add = defineCommand({
  description:
    'Write the payloads of every event as TypeScript, Python, JSON Schema or OpenAPI 3.1. The types allow fields that accounts in test mode leave out or send as null.',
  examples: [
    ['Write types for a handler in TypeScript', 'types --format typescript -o countersign.ts'],
    ['Write a schema to validate bodies with', 'types --format json-schema > payloads.schema.json'],
  ],
  json: null,
  options: {
    format: choice(
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
