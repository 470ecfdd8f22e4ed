/** The handlers of the tunnel commands. */
import type { tunnelCommands } from '../../shared/contract/nouns/tunnels.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import type { Services } from './services.ts'

export function createTunnelHandlers(services: Services): Pick<Handlers, keyof typeof tunnelCommands> {
  const tunnels = () => services.tunnels('A tunnel')
  return {
    'tunnels.status': async () => tunnels().status(),
    'tunnels.programs': async () => ({ programs: await tunnels().programs() }),
    'tunnels.setToken': async ({ token }) => ({ programs: await tunnels().setToken(token) }),
    'tunnels.start': async (input) => tunnels().start(input),
    'tunnels.stop': async () => tunnels().stop(),
    'tunnels.test': async () => services.tunnels('Testing the public address').test(),
  }
}
