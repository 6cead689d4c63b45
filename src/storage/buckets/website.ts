/** The API allows any string. A space or control character would end the header field or mislead a browser. */
export const websiteHostPattern = /^[a-z0-9](?:[a-z0-9.-]{0,253})(?::\d{1,5})?$/i

/** User Guide, "Configuring a webpage redirect": "50 routing rules per website configuration". */
export const maxWebsiteRules = 50

/** The website of a bucket (https://docs.aws.amazon.com/AmazonS3/latest/API/API_WebsiteConfiguration.html). */
export type Website =
  | { readonly redirectAllTo: RedirectTarget }
  | {
      /** Appended to the address of a folder. */
      readonly index: string
      /** The key of the document that is sent with errors. */
      readonly errorKey?: string
      /** The first rule that applies counts. */
      readonly rules?: readonly RoutingRule[]
    }

export interface RedirectTarget {
  /** With an optional port. */
  readonly host?: string
  readonly protocol?: 'http' | 'https'
}

export interface RoutingRule extends RedirectTarget {
  /** Only for keys that begin with this. */
  readonly keyPrefix?: string
  /** Only if the object is answered with this status. */
  readonly status?: number
  /** The key to redirect to, or what replaces `keyPrefix` in it. */
  readonly key?: string
  readonly newPrefix?: string
  /** The status of the redirect. */
  readonly code: number
}
