import type { ReplaySettings } from '../../shared/model/send.ts'
import { type Admitted } from '../outgoing/admit.ts'
import type { Sender } from '../outgoing/send.ts'
import {
  createSigningHookFinder,
  type HandlerSigner,
  type SigningHook,
  type SigningHooksDeps,
} from '../outgoing/signing-hooks.ts'
import type { SendableDelivery } from '../store/deliveries-to-send.ts'

/** An endpoint of a replay: its connections, and what signs the requests to it. */
export class ReplayEndpoint {
  readonly sender: Sender
  readonly #hookOf: ReturnType<typeof createSigningHookFinder>
  certificateProblem: string | null = null

  constructor(
    deps: SigningHooksDeps,
    signing: Pick<ReplaySettings, 'hookId' | 'registeredUrl' | 'handlerId'> & {
      readonly givenSigner?: HandlerSigner | null
    },
    admitted: Admitted,
    options: { readonly keepAlive: boolean; readonly connections: number },
  ) {
    this.#hookOf = createSigningHookFinder(deps, signing, admitted)
    this.sender = admitted.createSender({
      ...options,
      onCertificate: (problem) => {
        this.certificateProblem = problem
      },
    })
  }

  /** Returns what signs a delivery, or null. */
  async signerOf(delivery: SendableDelivery | null): Promise<SigningHook | null> {
    return delivery === null ? null : this.#hookOf(delivery)
  }
}
