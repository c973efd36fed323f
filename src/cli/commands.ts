import type { Command } from './command.ts';

/** All commands by name. Each is only loaded when it runs. */
export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  sandbox: async () => (await import('./commands/sandbox.ts')).sandbox,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  listen: async () => (await import('./commands/listen.ts')).listen,
  trigger: async () => (await import('./commands/trigger.ts')).trigger,
  tail: async () => (await import('./commands/tail.ts')).tail,
  charge: async () => (await import('./commands/charge.ts')).charge,
  torture: async () => (await import('./commands/torture.ts')).torture,
  pay: async () => (await import('./commands/pay.ts')).pay,
  mcp: async () => (await import('./commands/mcp.ts')).mcp,
  export: async () => (await import('./commands/export.ts')).exportAccount,
};
