/** `apes serve`: the embedded grant server in the foreground. */
import type { Command } from 'commander';
import type { CliContext, Register } from '../context.ts';
import type { Ending } from '../ending.ts';
import { endingWith } from '../opened.ts';
import { portOf } from '../option-values.ts';

interface ServeOptions {
  readonly host?: string;
  readonly port?: number;
  readonly publicUrl?: string;
  readonly database?: string;
}

export const registerServe: Register = (program: Command, context: CliContext) => {
  program
    .command('serve')
    .description('run the grant server here, in the foreground (apes up runs it in the background)')
    .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
    .option('--port <n>', 'the port; 0 lets the system choose (default: 7417)', portOf('--port'))
    .option('--public-url <url>', 'the address for approvers: https://…; http only for an address of this machine')
    .option('--database <database>', 'a path, sqlite:PATH or postgres://… (default: SQLite in the data directory)')
    .action(context.settle((options: ServeOptions) => serve(context, options)));
};

const serve = (context: CliContext, options: ServeOptions): Promise<Ending> =>
  endingWith(context, async (installation) => {
    const { serveHere } = await import('./serve-here.ts');
    const { serve: settings } = installation.settings;
    return serveHere(context, installation, {
      host: options.host ?? settings.host,
      port: options.port ?? settings.port,
      publicUrl: options.publicUrl ?? settings.publicUrl,
      database: options.database ?? settings.database,
    });
  });
