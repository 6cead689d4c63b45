import {
  maxWebsiteRules,
  type RedirectTarget,
  type RoutingRule,
  type Website,
  websiteHostPattern,
} from '../../buckets/website.ts'
import {
  childText,
  malformed,
  onlyChild,
  parseXmlBody,
  refuseOtherElements,
  type XmlElement,
} from '../body/xml-body.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import type { XmlChildren } from '../reply/xml.ts'

/** AWS: "Request Length: The maximum request length is limited to 128 KB" (API reference, PutBucketWebsite). */
export const maxWebsiteBytes = 128 * 1024

/**
 * The document of PutBucketWebsite (https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketWebsite.html).
 *
 * @throws S3Error MalformedXML, InvalidArgument, InvalidRequest
 */
export function parseWebsite(body: Uint8Array): Website {
  const root = parseXmlBody(body, 'WebsiteConfiguration')
  refuseOtherElements(root, [
    ...['IndexDocument', 'ErrorDocument', 'RoutingRules', 'RedirectAllRequestsTo'],
  ])
  const all = onlyChild(root, 'RedirectAllRequestsTo')
  if (all !== undefined) {
    if (root.children.length > 1) throw malformed('RedirectAllRequestsTo excludes other elements')
    refuseOtherElements(all, ['HostName', 'Protocol'])
    const redirectAllTo = targetOf(all)
    if (redirectAllTo.host === undefined) throw malformed('RedirectAllRequestsTo has no HostName')
    return { redirectAllTo }
  }
  const index = textIn(root, 'IndexDocument', 'Suffix')
  if (index === undefined) throw malformed('IndexDocument is missing')
  if (index === '' || index.includes('/')) {
    throw invalidArgument('IndexDocument', index, 'The IndexDocument Suffix is not well formed')
  }
  const errorKey = textIn(root, 'ErrorDocument', 'Key')
  if (errorKey === '') throw invalidArgument('ErrorDocument', '', 'The Key must not be empty')
  const rules = onlyChild(root, 'RoutingRules')?.children ?? []
  if (rules.length > maxWebsiteRules) {
    const message = `The number of routing rules must not exceed ${maxWebsiteRules}.`
    throw new S3Error('InvalidRequest', message)
  }
  return {
    index,
    ...(errorKey !== undefined && { errorKey }),
    ...(rules.length > 0 && { rules: rules.map(ruleOf) }),
  }
}

function textIn(root: XmlElement, parent: string, name: string): string | undefined {
  const element = onlyChild(root, parent)
  if (element === undefined) return undefined
  refuseOtherElements(element, [name])
  return childText(element, name) ?? ''
}

function targetOf(element: XmlElement): RedirectTarget {
  const host = childText(element, 'HostName')
  const protocol = childText(element, 'Protocol')
  if (host !== undefined && !websiteHostPattern.test(host)) {
    throw invalidArgument('HostName', host, 'Expected a host name, with an optional port.')
  }
  if (protocol !== undefined && protocol !== 'http' && protocol !== 'https') {
    const message = 'Invalid protocol, protocol can be http or https. If not defined the protocol'
    throw new S3Error('InvalidRequest', `${message} will be selected automatically.`)
  }
  return { ...(host !== undefined && { host }), ...(protocol !== undefined && { protocol }) }
}

function ruleOf(rule: XmlElement): RoutingRule {
  if (rule.name !== 'RoutingRule') throw malformed('RoutingRules has only RoutingRule')
  refuseOtherElements(rule, ['Condition', 'Redirect'])
  const redirect = onlyChild(rule, 'Redirect')
  if (redirect === undefined) throw malformed('RoutingRule has no Redirect')
  refuseOtherElements(redirect, [
    ...['HostName', 'Protocol', 'HttpRedirectCode', 'ReplaceKeyWith', 'ReplaceKeyPrefixWith'],
  ])
  const condition = onlyChild(rule, 'Condition')
  if (condition !== undefined)
    refuseOtherElements(condition, ['KeyPrefixEquals', 'HttpErrorCodeReturnedEquals'])
  const keyPrefix = condition && childText(condition, 'KeyPrefixEquals')
  const status = condition && statusIn(condition, 'HttpErrorCodeReturnedEquals', /^[45]\d\d$/)
  const code = statusIn(redirect, 'HttpRedirectCode', /^30[1-8]$/)
  const key = childText(redirect, 'ReplaceKeyWith')
  const newPrefix = childText(redirect, 'ReplaceKeyPrefixWith')
  const target = targetOf(redirect)
  if (key !== undefined && newPrefix !== undefined) {
    throw new S3Error('InvalidRequest', 'You can only define ReplaceKeyPrefix or ReplaceKey.')
  }
  if (redirect.children.length === 0) throw malformed('Redirect is empty')
  return {
    ...{ ...target, code: code ?? 301 },
    ...(keyPrefix !== undefined && { keyPrefix }),
    ...(status !== undefined && { status }),
    ...(key !== undefined && { key }),
    ...(newPrefix !== undefined && { newPrefix }),
  }
}

function statusIn(element: XmlElement, name: string, valid: RegExp): number | undefined {
  const text = childText(element, name)?.trim()
  if (text === undefined) return undefined
  if (valid.test(text)) return Number(text)
  throw new S3Error('InvalidRequest', `The provided ${name} (${text.slice(0, 20)}) is not valid.`)
}

/** The content of a WebsiteConfiguration. */
export function websiteContent(website: Website): XmlChildren {
  if ('redirectAllTo' in website) {
    return { RedirectAllRequestsTo: targetContent(website.redirectAllTo) }
  }
  const { index, errorKey, rules } = website
  return {
    IndexDocument: { Suffix: index },
    ErrorDocument: errorKey === undefined ? undefined : { Key: errorKey },
    RoutingRules: rules && { RoutingRule: rules.map(ruleContent) },
  }
}

function targetContent({ host, protocol }: RedirectTarget): XmlChildren {
  return { HostName: host, Protocol: protocol }
}

function ruleContent(rule: RoutingRule): XmlChildren {
  const { keyPrefix, status, key, newPrefix, code } = rule
  const isLimited = (keyPrefix ?? status) !== undefined
  return {
    Condition: isLimited
      ? { HttpErrorCodeReturnedEquals: status, KeyPrefixEquals: keyPrefix }
      : undefined,
    Redirect: {
      ...{ ...targetContent(rule), HttpRedirectCode: code },
      ...{ ReplaceKeyPrefixWith: newPrefix, ReplaceKeyWith: key },
    },
  }
}
