import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { type Auth, openAuth } from './auth/auth.ts'
import { OpenIdConnect } from './auth/oidc/open-id-connect.ts'
import type { KeysChange } from './auth/product/jwks.ts'
import type { ProductSignIn } from './auth/product/product-tokens.ts'
import { createSeal } from './auth/seal.ts'
import type { Secret } from './auth/secret.ts'
import type { ServerConfig } from './config/options.ts'
import { describeKeys } from './describe-start.ts'
import type { Egress } from './egress/egress.ts'
import { UNGUESSABLE } from './http/admission.ts'
import { refusalLog } from './http/refusal-log.ts'
import type { Engine } from './store/engine.ts'

export type SignInOptions = { config: ServerConfig; secret: Secret; logger: Logger; egress: Egress }

/** Keys, logins, and tokens of visitors; the configured key is the first owner's. */
export async function openOwnersAuth(engine: Engine, options: SignInOptions): Promise<Auth> {
  const { config, secret, logger } = options
  if (config.ownerKey !== undefined && config.ownerKey.length < UNGUESSABLE)
    logger.warn(
      `PARLEY_OWNER_KEY has fewer than ${UNGUESSABLE} characters: it may be guessed, and failed guesses of others may keep it waiting.`,
    )
  const onError = (error: unknown) => logger.error({ err: error }, 'writing down the use of an API key failed')
  const { ownerKey } = config
  return openAuth({ engine, secret, ownerKey, signIn: signInOf(options), now: Date.now, randomBytes, onError })
}

/** Where people sign in elsewhere; `undefined` when nothing is configured. */
export function openIdOf({ config, secret, logger, egress }: SignInOptions): OpenIdConnect | undefined {
  const { oidc: options, language } = config
  if (!options) return undefined
  return new OpenIdConnect({
    ...{ options, egress, elapsed: () => performance.now() },
    tools: { now: Date.now, randomBytes },
    seal: createSeal(secret.key('oidc'), randomBytes),
    onKeys: tellKeys(logger, language),
  })
}

function tellKeys(logger: Logger, language: ServerConfig['language']): (change: KeysChange) => void {
  return (change) => {
    const { level, line } = describeKeys(change, language)
    logger[level](line)
  }
}

function signInOf({ config, logger, egress }: SignInOptions): ProductSignIn | undefined {
  const { visitors: options, language } = config
  if (!options) return undefined
  const elapsed = () => performance.now()
  const tell = refusalLog({ logger, language, now: elapsed })
  return {
    ...{ options, egress, elapsed },
    onRefused: ({ code, given }) => tell({ what: `jwt.${code}`, name: given }),
    onKeys: tellKeys(logger, language),
  }
}
