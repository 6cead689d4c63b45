import { shellWord } from '../format/shell-word.ts'
import { connectTexts } from '../texts/connect.ts'
import type { ClientSettings } from '../ui/copy/client-settings.ts'

type SettingsBlock = ClientSettings['blocks'][number]

/**
 * The values that client settings depend on. The secret key is missing: the browser does not have
 * it.
 */
export interface Gateway {
  /** The address for clients, without a trailing slash: `https://files.example.com`. */
  readonly endpoint: string
  readonly region: string
  readonly accessKey: string
  /** A bucket for the example commands. */
  readonly bucket: string
}

/** A placeholder for the secret key. Valid without quoting in shells, XML and INI files. */
export const secretKeyPlaceholder = 'YOUR_SECRET_KEY'

/** Settings to paste, for each client. test/clients/pasted-settings.test.ts runs them. */
export function clientSettings(gateway: Gateway): readonly ClientSettings[] {
  return [
    { id: 'aws-cli', name: 'aws-cli', blocks: [awsCli(gateway)] },
    { id: 'aws-profile', name: 'AWS profile', blocks: awsProfile(gateway) },
    { id: 'rclone', name: 'rclone', blocks: [rclone(gateway)] },
    { id: 'mc', name: 'mc', blocks: [mc(gateway)] },
    { id: 's3cmd', name: 's3cmd', blocks: s3cmd(gateway) },
    { id: 'restic', name: 'restic', blocks: [restic(gateway)] },
    { id: 'cyberduck', name: 'Cyberduck, Mountain Duck', blocks: [cyberduck(gateway)] },
    { id: 'winscp', name: 'WinSCP', blocks: [winScp(gateway)] },
    { id: 'boto3', name: 'boto3', blocks: [boto3(gateway)] },
    { id: 'aws-sdk-js', name: 'AWS SDK JS', blocks: [awsSdkJs(gateway)] },
    { id: 'terraform', name: 'Terraform', blocks: [terraform(gateway)] },
    { id: 'compose', name: 'Docker Compose', blocks: [compose(gateway)] },
  ]
}

function exportedKeys(accessKey: string): readonly string[] {
  return [
    `export AWS_ACCESS_KEY_ID=${shellWord(accessKey)}`,
    `export AWS_SECRET_ACCESS_KEY=${secretKeyPlaceholder}`,
  ]
}

function lines(...text: readonly string[]): string {
  return `${text.join('\n')}\n`
}

function awsCli({ endpoint, region, bucket, accessKey }: Gateway): SettingsBlock {
  return {
    caption: connectTexts.clients.shell,
    text: lines(
      ...exportedKeys(accessKey),
      `export AWS_DEFAULT_REGION=${region}`,
      `aws --endpoint-url ${endpoint} s3 ls s3://${bucket}/`,
    ),
  }
}

/** Settings of a profile: docs.aws.amazon.com/sdkref, "Shared config and credentials files". */
function awsProfile({ endpoint, region, bucket, accessKey }: Gateway): readonly SettingsBlock[] {
  return [
    {
      caption: connectTexts.clients.awsConfig,
      text: lines(
        '[profile bucketry]',
        `region = ${region}`,
        `endpoint_url = ${endpoint}`,
        `aws_access_key_id = ${accessKey}`,
        `aws_secret_access_key = ${secretKeyPlaceholder}`,
      ),
    },
    {
      // Older ones ignore endpoint_url without a word, and call Amazon.
      caption: connectTexts.clients.awsThen,
      text: lines(`aws --profile bucketry s3 ls s3://${bucket}/`),
    },
  ]
}

function mc({ endpoint, bucket, accessKey }: Gateway): SettingsBlock {
  return {
    caption: connectTexts.clients.mc,
    text: lines(
      `mc alias set bucketry ${endpoint} ${shellWord(accessKey)} ${secretKeyPlaceholder}`,
      `mc ls bucketry/${bucket}`,
    ),
  }
}

function rclone({ endpoint, region, bucket, accessKey }: Gateway): SettingsBlock {
  return {
    caption: connectTexts.clients.rclone,
    text: lines(
      'rclone config create bucketry s3 provider=Other no_check_bucket=true \\',
      `  endpoint=${endpoint} region=${region} \\`,
      `  access_key_id=${shellWord(accessKey)} secret_access_key=${secretKeyPlaceholder}`,
      `rclone ls bucketry:${bucket}`,
    ),
  }
}

function s3cmd({ endpoint, region, bucket, accessKey }: Gateway): readonly SettingsBlock[] {
  const { protocol, host } = new URL(endpoint)
  return [
    {
      caption: connectTexts.clients.s3cfg,
      fileName: '.s3cfg',
      text: lines(
        '[default]',
        `access_key = ${accessKey}`,
        `secret_key = ${secretKeyPlaceholder}`,
        `host_base = ${host}`,
        `host_bucket = ${host}`,
        `bucket_location = ${region}`,
        `use_https = ${protocol === 'https:' ? 'True' : 'False'}`,
      ),
    },
    { caption: connectTexts.clients.afterwards, text: lines(`s3cmd ls s3://${bucket}/`) },
  ]
}

function restic({ endpoint, region, bucket, accessKey }: Gateway): SettingsBlock {
  return {
    caption: connectTexts.clients.restic,
    text: lines(
      ...exportedKeys(accessKey),
      `export AWS_DEFAULT_REGION=${region}`,
      `export RESTIC_REPOSITORY=s3:${endpoint}/${bucket}/restic`,
      'restic init',
      'restic backup ~/Documents',
    ),
  }
}

function boto3({ endpoint, region, bucket, accessKey }: Gateway): SettingsBlock {
  return {
    caption: connectTexts.clients.python,
    text: lines(
      'import boto3',
      '',
      's3 = boto3.client(',
      '    "s3",',
      `    endpoint_url="${endpoint}",`,
      `    region_name="${region}",`,
      `    aws_access_key_id=${JSON.stringify(accessKey)},`,
      `    aws_secret_access_key="${secretKeyPlaceholder}",`,
      ')',
      `for item in s3.list_objects_v2(Bucket="${bucket}").get("Contents", []):`,
      '    print(item["Key"], item["Size"])',
    ),
  }
}

function awsSdkJs({ endpoint, region, bucket, accessKey }: Gateway): SettingsBlock {
  return {
    caption: connectTexts.clients.javaScript,
    text: lines(
      "import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'",
      '',
      'const s3 = new S3Client({',
      `  endpoint: '${endpoint}',`,
      `  region: '${region}',`,
      '  forcePathStyle: true,',
      '  credentials: {',
      `    accessKeyId: ${singleQuoted(accessKey)},`,
      `    secretAccessKey: '${secretKeyPlaceholder}',`,
      '  },',
      '})',
      `const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: '${bucket}' }))`,
      'for (const { Key, Size } of Contents) console.log(Key, Size)',
    ),
  }
}

/** A JavaScript string in the quotes of the lines around it. */
function singleQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** The options that the provider needs for a store other than AWS (registry.terraform.io, "Custom Service Endpoints"). */
function terraform({ endpoint, region, bucket, accessKey }: Gateway): SettingsBlock {
  return {
    caption: connectTexts.clients.terraform,
    fileName: 'main.tf',
    text: lines(
      'provider "aws" {',
      `  region                      = "${region}"`,
      `  access_key                  = ${hclText(accessKey)}`,
      `  secret_key                  = "${secretKeyPlaceholder}"`,
      '  s3_use_path_style           = true',
      '  skip_credentials_validation = true',
      '  skip_metadata_api_check     = true',
      '  skip_region_validation      = true',
      '  skip_requesting_account_id  = true',
      '',
      '  endpoints {',
      `    s3 = "${endpoint}"`,
      '  }',
      '}',
      '',
      'resource "aws_s3_object" "hello" {',
      `  bucket  = "${bucket}"`,
      '  key     = "hello.txt"',
      '  content = "hello"',
      '}',
    ),
  }
}

/** `${` and `%{` begin templates in HCL. */
function hclText(text: string): string {
  return JSON.stringify(text).replaceAll(/[$%]\{/g, (start) => `${start.charAt(0)}${start}`)
}

function compose({ endpoint, region, accessKey }: Gateway): SettingsBlock {
  return {
    caption: connectTexts.clients.compose,
    text: lines(
      'services:',
      '  app:',
      '    environment:',
      `      AWS_ENDPOINT_URL_S3: ${endpoint}`,
      `      AWS_REGION: ${region}`,
      `      AWS_ACCESS_KEY_ID: ${JSON.stringify(accessKey.replaceAll('$', '$$$$'))}`,
      `      AWS_SECRET_ACCESS_KEY: "${secretKeyPlaceholder}"`,
    ),
  }
}

/**
 * The address of a session (winscp.net/eng/docs/session_url), with advanced settings after the name. The secret key is
 * asked for: in an address it would have to be encoded.
 */
function winScp({ endpoint, region, bucket, accessKey }: Gateway): SettingsBlock {
  const { protocol, host } = new URL(endpoint)
  const name = `${encodeURIComponent(accessKey)};x-S3UrlStyle=1;x-S3DefaultRegion=${region}`
  return {
    caption: connectTexts.clients.winScp,
    text: lines(`${protocol === 'https:' ? 's3' : 's3plain'}://${name}@${host}/${bucket}/`),
  }
}

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/**
 * A profile, because Cyberduck's built-in S3 only connects with HTTPS to `bucket.host`
 * (docs.cyberduck.io, "Connection Profiles").
 */
function cyberduck({ endpoint, region, bucket, accessKey }: Gateway): SettingsBlock {
  const { protocol, hostname, port } = new URL(endpoint)
  const entry = (key: string, value: string) => [
    `  <key>${key}</key>`,
    `  <string>${xmlText(value)}</string>`,
  ]
  return {
    caption: connectTexts.clients.cyberduck,
    fileName: 'Bucketry.cyberduckprofile',
    text: lines(
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
      '<plist version="1.0">',
      '<dict>',
      ...entry('Protocol', 's3'),
      ...entry('Vendor', 'bucketry'),
      ...entry('Description', 'Bucketry'),
      ...entry('Scheme', protocol.slice(0, -1)),
      ...entry('Default Hostname', hostname.replace(/^\[(.*)\]$/, '$1')),
      ...entry('Default Port', port === '' ? (defaultPorts[protocol] ?? '') : port),
      ...entry('Default Path', `/${bucket}`),
      ...entry('Region', region),
      ...entry('Username', accessKey),
      ...entry('Username Placeholder', 'Access key'),
      ...entry('Password Placeholder', 'Secret key'),
      '  <key>Properties</key>',
      '  <array>',
      '    <string>s3.bucket.virtualhost.disable=true</string>',
      '  </array>',
      '</dict>',
      '</plist>',
    ),
  }
}

function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
