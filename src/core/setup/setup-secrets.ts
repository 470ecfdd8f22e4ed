/** The secrets that a setup needs, by their place in the file. */
import { type Path, showPath } from '../../shared/diff/path-pattern.ts'
import type { SecretReference, Setup } from '../../shared/model/setup.ts'
import { isAbsolutePath } from '../base/inside-folder.ts'
import { hookTitle } from './setup-items.ts'

export interface NeededSecret {
  /** Kind and name of the item that has it. */
  readonly owner: string
  readonly path: Path
  readonly place: string
  /** Words for a question: `secret of hook purchases`. */
  readonly what: string
  readonly reference: SecretReference | undefined
}

const needed = (
  owner: string,
  path: Path,
  what: string,
  reference: SecretReference | undefined,
): NeededSecret => ({ owner, path, place: showPath(path), what, reference })

/** Returns the path of an environment's secret, which its authentication decides. */
export const environmentSecretPath = (index: number, auth: 'service-key' | 'bearer'): Path => [
  'environments',
  index,
  auth === 'bearer' ? 'clientSecret' : 'key',
]

export function neededSecrets({ environments, hooks, handlers }: Setup): NeededSecret[] {
  return [
    ...environments.map(({ name, auth, key, clientSecret }, index) => {
      const isBearer = auth === 'bearer'
      const what = `${isBearer ? 'client secret' : 'secret key'} of ${name}`
      const path = environmentSecretPath(index, auth)
      return needed(`environment ${name}`, path, what, isBearer ? clientSecret : key)
    }),
    ...hooks.flatMap((hook, index) => {
      const owner = `hook ${hookTitle(hook)}`
      const [path, whose] = [['hooks', index], `of hook ${hook.name}`]
      return [
        needed(owner, [...path, 'secret'], `secret ${whose}`, hook.secret),
        ...Object.entries(hook.headers).map(([header, reference]) =>
          needed(owner, [...path, 'headers', header], `header ${header} ${whose}`, reference),
        ),
      ]
    }),
    // A handler without a secret verifies with each hook's secret.
    ...handlers.flatMap(({ name, secret }, index) =>
      secret === undefined
        ? []
        : [
            needed(
              `handler ${name}`,
              ['handlers', index, 'secret'],
              `secret of handler ${name}`,
              secret,
            ),
          ],
    ),
  ]
}

/** Whether only a confirmed `apply` reads the secret: from an absolute path. */
export const isOutside = ({ reference }: NeededSecret): boolean =>
  reference?.file !== undefined && isAbsolutePath(reference.file)
