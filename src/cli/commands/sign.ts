/** `countersign sign`: signs a body as the service does. */
import { secretKey, signDelivery } from '../../core/signature/sign.ts'
import { defineCommand } from '../command.ts'
import { nonBlankOption } from '../options/input.ts'
import { readBodyAndSecret, bodyOption } from '../options/body-option.ts'
import { secretOptions } from '../options/secret-options.ts'
import { explainOddPart } from '../signature-text.ts'

export const add = defineCommand({
  description:
    'Sign a body as the service does, and print the signature, the timestamp and the first pass ("inner").',
  examples: [
    [
      'Sign a body',
      'sign --url https://example.com/hooks --secret-file secret.txt --body body.json',
    ],
  ],
  options: {
    url: nonBlankOption('<url>', 'registered URL of the hook, exactly as registered').required(),
    timestamp: nonBlankOption('<timestamp>', 'milliseconds since 1970 (default: now)'),
    ...secretOptions,
    ...bodyOption,
  },
  async run(input, run) {
    const { body, secret } = await readBodyAndSecret(run, input)
    const { url, timestamp = String(run.now()) } = input
    const odd = explainOddPart({ url, timestamp })
    if (odd !== undefined) run.output.note(`${odd.why} ${odd.fix}`)
    const { signature, inner } = signDelivery({ body, url, timestamp, key: secretKey(secret) })
    const signed = { signature, timestamp, inner }
    run.output.result(signed, () => run.output.facts(Object.entries(signed)))
  },
})
