"""From a pipeline file to finished folders: config, plan, receipts, ledger, runner, report."""
