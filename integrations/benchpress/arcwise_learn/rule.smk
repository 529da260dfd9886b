# arcwise: the posterior over DAGs, and one graph of it. `module_name` is set by Benchpress to the
# name of this folder.
rule:
    name:
        module_name
    input:
        data = alg_input_data()
    output:
        adjmat = alg_output_adjmat_path(module_name),
        time = alg_output_time_path(module_name),
        ntests = alg_output_ntests_path(module_name)
    container:
        # Built from the Dockerfile of this folder; None to run with the arcwise of this machine.
        None
    script:
        "script.py"
