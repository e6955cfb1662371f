import { z } from 'zod'
import { isKeyAddress } from '../product/visitors-options.ts'

const name = (error: string) => z.string(error).min(1, error).max(1_000)
const domain = z
  .string()
  .toLowerCase()
  .regex(/^(?:[a-z0-9-]+\.)+[a-z0-9-]+$/, 'must be a domain such as example.com, without an @')

/**
 * Signing in with OpenID Connect, beside links. Who was invited by an e-mail address that the provider vouches for comes in
 * as that user; others only if `allow` says so, as members.
 */
export const oidcSchema = z.strictObject({
  /** As the provider spells it: `https://…`, on this machine also `http://`. */
  issuer: z.string().refine(isKeyAddress, 'must be an https address; http only on this machine'),
  /** What this server is called there. */
  clientId: name('must be the client id that the provider gave this server'),
  /** Absent: a public client. */
  clientSecret: name('must be the secret that the provider gave this server').optional(),
  /** What the button on the start page calls it. Default: the issuer's host. */
  name: name('must be a name').max(100).optional(),
  /** Default `openid`, `email`, `profile`. */
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be the name of a scope'))
    .refine((scopes) => scopes.includes('openid'), 'must have openid among them')
    .optional(),
  /** Who may come in without an invitation: whoever fits one of these. Default nobody. */
  allow: z
    .strictObject({
      /** Domains of e-mail addresses that the provider has verified; subdomains are others. */
      emailDomains: z.array(domain).min(1).optional(),
      /** Claims and their values; of a claim that is a list, one of them. All that are named must fit. */
      claims: z.record(z.string().min(1), z.array(z.string()).min(1)).optional(),
    })
    .optional(),
})

export type OidcOptions = z.infer<typeof oidcSchema>
