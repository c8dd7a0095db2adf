/** `details` are plain data; keys, arguments and results are never among them. */
export interface Logger {
  debug(message: string, details?: Record<string, unknown>): void;
  info(message: string, details?: Record<string, unknown>): void;
  warn(message: string, details?: Record<string, unknown>): void;
  error(message: string, details?: Record<string, unknown>): void;
}

/** Standard error only: standard output belongs to the program. */
export const consoleLogger: Logger = {
  debug: () => {},
  info: (message, details) => print("info", message, details),
  warn: (message, details) => print("warn", message, details),
  error: (message, details) => print("error", message, details),
};

function print(level: string, message: string, details: Record<string, unknown> | undefined): void {
  console.error(`toolgate ${level}: ${message}${details === undefined ? "" : ` ${JSON.stringify(details)}`}`);
}

/** A logger that throws must not end a call or the worker. */
export function guardedLogger(logger: Logger): Logger {
  const guarded = (level: keyof Logger) => (message: string, details?: Record<string, unknown>) => {
    try {
      logger[level](message, details);
    } catch {
      // There is nobody left to tell.
    }
  };
  return { debug: guarded("debug"), info: guarded("info"), warn: guarded("warn"), error: guarded("error") };
}
