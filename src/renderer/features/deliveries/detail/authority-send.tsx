/** Opens the composer for a send that the endpoint's certificate kept back, where the authority that signed it is given. */
import { ShieldQuestionMark } from 'lucide-react'
import type { Send } from '../../../../shared/model/send.ts'
import { useAppParts } from '../../../state/use-app.ts'
import { Button } from '../../../ui/button.tsx'

export function AuthoritySend({ send }: { readonly send: Send }) {
  const { delivery, composeReplay } = useAppParts((state) => ({
    delivery: state.shown?.delivery ?? null,
    composeReplay: state.composeReplay,
  }))
  if (send.errorKind !== 'certificate' || send.kind !== 'replay' || delivery?.id !== send.deliveryId) return null
  return (
    <Button
      kind="quiet"
      className="ml-auto font-normal"
      icon={<ShieldQuestionMark size={13} aria-hidden />}
      onClick={() => {
        composeReplay({ kind: 'rows', rows: [delivery], wantsAuthority: true })
      }}
    >
      Give its authority…
    </Button>
  )
}
