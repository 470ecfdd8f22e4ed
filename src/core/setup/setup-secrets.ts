/** The secrets that a set-up needs, by their place in the file. */
import { type Path, showPath } from '../../shared/diff/path-pattern.ts'
import type { SecretReference, Setup } from '../../shared/model/setup.ts'
import { isAbsolutePath } from '../base/inside-folder.ts'

export interface NeededSecret {
  readonly path: Path
  readonly place: string
  /** Words for a question: `secret of hook purchases`. */
  readonly what: string
  readonly reference: SecretReference | undefined
}

const needed = (path: Path, what: string, reference: SecretReference | undefined) => ({
  ...{ path, what, reference },
  place: showPath(path),
})

/** Returns the path of an environment's secret, which its authentication decides. */
export const environmentSecretPath = (index: number, auth: 'service-key' | 'bearer'): Path => [
  'environments',
  index,
  auth === 'bearer' ? 'clientSecret' : 'key',
]

export function neededSecrets({ environments, hooks, handlers }: Setup): NeededSecret[] {
  return [
    ...environments.map(({ name, auth, key, clientSecret }, index) =>
      auth === 'bearer'
        ? needed(environmentSecretPath(index, auth), `client secret of ${name}`, clientSecret)
        : needed(environmentSecretPath(index, auth), `secret key of ${name}`, key),
    ),
    ...hooks.flatMap(({ name, secret, headers }, index) => [
      needed(['hooks', index, 'secret'], `secret of hook ${name}`, secret),
      ...Object.entries(headers).map(([header, reference]) =>
        needed(['hooks', index, 'headers', header], `header ${header} of hook ${name}`, reference),
      ),
    ]),
    // A handler without a secret verifies with each hook's secret.
    ...handlers.flatMap(({ name, secret }, index) =>
      secret === undefined
        ? []
        : [needed(['handlers', index, 'secret'], `secret of handler ${name}`, secret)],
    ),
  ]
}

/** Whether only a confirmed `apply` reads the secret: from an absolute path. */
export const isOutside = ({ reference }: NeededSecret): boolean =>
  reference?.file !== undefined && isAbsolutePath(reference.file)

/** Returns what a reference names. */
export function referenceText({ env, file }: SecretReference): string {
  return env ?? file ?? ''
}
