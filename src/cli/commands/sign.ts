/** `countersign sign`: signs a body as the service does. */
import type { Command, CommandContext } from '../context.ts'
import { secretKey, signDelivery } from '../../core/signature/sign.ts'
import {
  readFilled,
  addBodyOption,
  addSecretOptions,
  readBodyAndSecret,
  type BodyOption,
  type SecretOptions,
} from '../arguments.ts'

interface SignOptions extends SecretOptions, BodyOption {
  readonly url: string
  readonly timestamp?: string
  readonly json?: true
}

export function add(command: Command, context: CommandContext): void {
  command
    .description(
      'Sign a body as the service does, and print the signature, the timestamp and the first pass ("inner").',
    )
    .example(
      'Sign a body',
      'sign --url https://example.com/hooks --secret-file secret.txt --body body.json',
    )
    .requiredOption('--url <url>', 'registered URL of the hook, exactly as registered', readFilled)
    .option('--timestamp <timestamp>', 'milliseconds since 1970 (default: now)', readFilled)
  addBodyOption(addSecretOptions(command))
    .printsJson()
    .action(async (options: SignOptions) => {
      const { body, secret } = await readBodyAndSecret(context, options)
      const timestamp = options.timestamp ?? String(context.now())
      const { signature, inner } = signDelivery({
        body,
        url: options.url,
        timestamp,
        key: secretKey(secret),
      })
      if (options.json === true) {
        context.output.json({ signature, timestamp, inner })
        return
      }
      context.output.facts(Object.entries({ signature, timestamp, inner }))
    })
}
