/** Questions about the signature of the delivery that is looked at: verified again, and held against what is only tried. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { SignatureReport, SignatureTrial } from '../../../shared/model/signature.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { outcomeOf, type Outcome } from '../../ui/call-problem.ts'
import type { DetailSlice } from './detail-slice.ts'

/** What verifying once more said of a delivery. */
export type VerifiedAgain = { readonly id: string; readonly at: string } & (
  { readonly report: SignatureReport } | { readonly problem: string }
)

export interface SignatureSlice {
  readonly verifiedAgain: VerifiedAgain | null
  /** The language in which the program that verifies is shown. */
  readonly snippetLanguage: string
  /** Verifies the delivery that is shown with the hooks that are known now. */
  verifyAgain(): Promise<void>
  /** Holds a delivery against a secret or URL that is only tried; nothing of it stays here. */
  trySignature(input: InputOf<'deliveries.diagnose'>): Promise<Outcome<SignatureTrial>>
  setSnippetLanguage(id: string): void
}

export function createSignatureSlice({ client, set, get }: FeatureTools<SignatureSlice & DetailSlice>): SignatureSlice {
  return {
    verifiedAgain: null,
    snippetLanguage: 'node',
    async verifyAgain() {
      const id = get().shown?.delivery.id
      if (id === undefined) return
      const outcome = await outcomeOf(client.call('deliveries.diagnose', { id }))
      const at = new Date().toISOString()
      set({ verifiedAgain: outcome.ok ? { id, at, report: outcome.value.report } : { id, at, problem: outcome.problem.message } })
    },
    trySignature: (input) => outcomeOf(client.call('deliveries.diagnose', input)),
    setSnippetLanguage(snippetLanguage) {
      set({ snippetLanguage })
    },
  }
}
