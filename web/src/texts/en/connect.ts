export const texts = () => ({
  title: 'Connect',
  failure: 'The connection settings could not be loaded',
  bucket: 'Bucket in the examples',
  secretInEnvironment: 'The value of SECRET_KEY in the environment of the gateway.',
  endpoint: 'Endpoint',
  secretKey: 'Secret key',
  madeForAws: 'Made for AWS S3 or MinIO?',
  madeForAwsText:
    'Applications that expect every detail of Amazon S3 need a setting that is made at startup.',
  madeForAwsSetting: 'COMPATIBILITY=aws',
  toPaste: 'Settings to paste',
  secretText:
    'Enter the secret key of the access key above. It is inserted into the settings below and never leaves this page.',
  showSecret: 'Show the secret key',
  text: 'What a client needs to connect, with settings to paste. Give each app an <keys>app key</keys> of its own: its settings then include the secret.',
  address: 'Address',
  region: 'Region',
  accessKey: 'Access key',
  secretInFile: (folder: string) => `SECRET_KEY in ${folder}/bucketry.env, on the server.`,
  clients: {
    shell: 'In a shell',
    awsConfig: 'Add to ~/.aws/config, for all programs that use an AWS SDK',
    awsThen: 'Then, with aws-cli 1.29, 2.13 or newer',
    mc: 'In a shell, with the MinIO client',
    rclone: 'In a shell. Without no_check_bucket rclone tries to create the bucket first',
    s3cfg: 'Save as ~/.s3cfg, or under another name and use s3cmd -c',
    afterwards: 'Then',
    restic: 'In a shell. restic asks for a repository password, which cannot be recovered',
    python: 'Python',
    javaScript: 'JavaScript, with @aws-sdk/client-s3 version 3',
    terraform: 'Save as main.tf',
    compose: 'In compose.yaml, for an app that uses an AWS SDK. $ in a value is written as $$',
    winScp: 'As the host name of a new site. WinSCP asks for the secret key',
    cyberduck: 'Save as Bucketry.cyberduckprofile and double-click to open it',
  },
})

export type ConnectTexts = ReturnType<typeof texts>
